import Dates
import Testing

@Suite struct DayTests {
    @Test func `day numbers and days are inverse`() throws {
        var expected = try #require(Day(year: 1896, month: 1, day: 1))
        #expect(try #require(Day(year: 1970, month: 1, day: 1)).number == 0)
        for number in expected.number..<expected.number + 80_000 {
            #expect(Day(number: number) == expected)
            #expect(expected.number == number)
            expected =
                Day(year: expected.year, month: expected.month, day: expected.day + 1)
                ?? Day(year: expected.year, month: expected.month + 1, day: 1) ?? Day(year: expected.year + 1, month: 1, day: 1)
                ?? expected
        }
    }

    @Test func `weekdays are right before and after 1970`() {
        #expect(Day(year: 1969, month: 7, day: 20)?.spelled == "Sunday 20 July 1969")
        #expect(Day(year: 2000, month: 2, day: 29)?.spelled == "Tuesday 29 February 2000")
        #expect(Day(year: 2100, month: 2, day: 29) == nil)
        #expect(Day(year: 2026, month: 11, day: 21)?.abbreviated == "Sat 21 Nov 2026")
    }

    @Test func `a day passes at its end, a minute at its beginning`() throws {
        let day = try #require(Day(year: 2026, month: 12, day: 1))
        #expect(!Due(day: day).isOver(at: Moment(day: day, second: 86_399)))
        #expect(Due(day: day).isOver(at: Moment(day: day.adding(days: 1), second: 0)))
        #expect(!Due(day: day, minute: 600).isOver(at: Moment(day: day, second: 35_999)))
        #expect(Due(day: day, minute: 600).isOver(at: Moment(day: day, second: 36_000)))
        #expect(!Due(day: day, minute: 600).isOver(at: Moment(day: day.adding(days: -1), second: 80_000)))
    }
}
