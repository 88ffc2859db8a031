import TestSupport
import Testing

@testable import Dates

@Suite struct DueTests {
    /// Saturday 21 November 2026, 10:00 in Berlin.
    static let reader = DateReader(now: 1_795_251_600, zone: .berlin, direction: .future)

    @Test(arguments: [
        ("today", "2026-11-21"), ("Tomorrow", "2026-11-22"), ("yesterday", "2026-11-20"),
        ("saturday", "2026-11-28"), ("sun", "2026-11-22"), ("friday", "2026-11-27"), ("next friday", "2026-11-27"),
        ("in 3 days", "2026-11-24"), ("in a week", "2026-11-28"), ("in 2 weeks", "2026-12-05"), ("next week", "2026-11-28"),
        ("in 1 month", "2026-12-21"), ("next month", "2026-12-21"), ("in 2 years", "2028-11-21"), ("next year", "2027-11-21"),
        ("2026-12-01", "2026-12-01"), ("2026-12-01 14:30", "2026-12-01T14:30"), ("2026-12-01T14:30", "2026-12-01T14:30"),
        ("tomorrow 9:00", "2026-11-22T09:00"), ("friday at 2pm", "2026-11-27T14:00"), ("friday 14:30", "2026-11-27T14:30"),
        ("in 3 days 8:05", "2026-11-24T08:05"), ("today 12am", "2026-11-21T00:00"), ("today 12:15 pm", "2026-11-21T12:15"),
        ("1 december", "2026-12-01"), ("dec 1", "2026-12-01"), ("1 Dec 2027 9:00", "2027-12-01T09:00"),
        ("Tuesday 1 December 2026", "2026-12-01"), ("Tuesday 1 December 2026 14:30", "2026-12-01T14:30"),
        ("20 november", "2027-11-20"), ("21 november", "2026-11-21"), ("29 february", "2028-02-29"),
        ("11:00", "2026-11-21T11:00"), ("9:00", "2026-11-22T09:00"), ("in 30 minutes", "2026-11-21T10:30"),
        ("in 15 hours", "2026-11-22T01:00"), ("  in   3  days ", "2026-11-24"),
    ])
    func `natural-language dates are parsed`(text: String, due: String) throws {
        #expect(try Self.reader.due(text).text == due)
    }

    @Test(arguments: [
        "", "someday", "in", "in 3", "in three days", "days", "2026-02-29", "2026-13-01", "2026-1-1", "31 november",
        "tomorrow 25:00",
        "tomorrow 9", "tomorrow 9:60", "13pm", "friday friday", "monday 1 december 2026", "in 99999999 days", "tomorrow morning",
        "0000-01-01", "in 9999999 hours", "２０２６-12-01",
    ])
    func `an invalid date is refused`(text: String) {
        #expect(throws: DateMistake.self) { try Self.reader.due(text) }
    }

    @Test(arguments: [
        "tomorrow 14:30:05", "14:30:00", "2026-12-01T14:30:05.5", "in 30 seconds", "in a second", "2026-12-01T14:30:00Z",
    ])
    func `seconds are refused, and the error says so`(text: String) {
        #expect(throws: DateMistake(message: "A date has a minute, but no seconds: “\(text)”.")) { try Self.reader.due(text) }
    }

    @Test(arguments: ["2026-12-01T14:30Z", "tomorrow 14:30+01:00"])
    func `a UTC offset is refused, and the error says so`(text: String) {
        #expect(throws: DateMistake(message: "A date has no offset: “\(text)”. Write the time that your clock will show.")) {
            try Self.reader.due(text)
        }
    }

    @Test func `today is the day in the user's time zone, not in UTC`() throws {
        // 23:30 UTC on the 20th is already the 21st in Berlin.
        let late = DateReader(now: 1_795_217_400, zone: .berlin, direction: .future)
        #expect(try late.due("today").text == "2026-11-21")
        #expect(try DateReader(now: 1_795_217_400, zone: Zone { _ in 0 }, direction: .future).due("today").text == "2026-11-20")
        #expect(
            try DateReader(now: 1_795_217_400, zone: Zone { _ in -36_000 }, direction: .future).due("tomorrow").text
                == "2026-11-21")
    }

    @Test func `displayed dates can be parsed`() throws {
        for number in stride(from: 20_000, to: 60_000, by: 97) {
            let due = Due(day: Day(number: number), minute: number % 1440)
            let clock = Due.clock(number % 1440)
            #expect(try Self.reader.due("\(due.day.spelled) \(clock)") == due)
            #expect(try Self.reader.due("\(due.day.abbreviated) \(clock)") == due)
            #expect(try Self.reader.due(due.text) == due)
            #expect(Due(text: due.text) == due)
        }
    }
}
