import TestSupport
import Testing

@testable import Dates

/// Tables of inputs and expected due dates at different times; the last tables cover both directions.
@Suite struct DateTableTests {
    /// A current time, a time zone and expected due dates, one per line.
    struct Table: Sendable, CustomTestStringConvertible {
        var name: String
        var zone: Zone
        var now: (year: Int, month: Int, day: Int, hour: Int, minute: Int)
        var direction = DateReader.Direction.future
        var lines: String

        var testDescription: String { name }

        /// The reader at that time; the first instant of a repeated minute.
        var reader: DateReader? {
            Day(year: now.year, month: now.month, day: now.day).map {
                DateReader(now: zone.instant($0, now.hour * 3600 + now.minute * 60), zone: zone, direction: direction)
            }
        }

        var rows: [(text: String, due: String)] {
            lines.split(separator: "\n").map { line in
                let halves = line.split(separator: "=", maxSplits: 1).map { $0.drop(while: \.isWhitespace) }
                return (String(halves[0]), String(halves[1]))
            }
        }
    }

    static let tables = [
        Table(
            name: "a Saturday", zone: .berlin, now: (2026, 11, 21, 10, 0),
            lines: """
                1.12. = 2026-12-01
                1.12.2026 = 2026-12-01
                01.12.2027 = 2027-12-01
                1.12. 14:30 = 2026-12-01T14:30
                20.11. = 2027-11-20
                21.11. = 2026-11-21
                29.2. = 2028-02-29
                1 dec = 2026-12-01
                dec 1 = 2026-12-01
                1. dec = 2026-12-01
                dec 1st = 2026-12-01
                1st december = 2026-12-01
                22nd nov 2028 = 2028-11-22
                tuesday 1.12.2026 = 2026-12-01
                day after tomorrow = 2026-11-23
                the day after tomorrow = 2026-11-23
                day after tomorrow 9:00 = 2026-11-23T09:00
                9am the day after tomorrow = 2026-11-23T09:00
                day before yesterday = 2026-11-19
                eod = 2026-11-21
                end of day = 2026-11-21
                the end of the day = 2026-11-21
                friday eod = 2026-11-27
                eod friday = 2026-11-27
                end of day tomorrow = 2026-11-22
                1.12. end of the day = 2026-12-01
                eod in 3 days = 2026-11-24
                eow = 2026-11-22
                eom = 2026-11-30
                eoy = 2026-12-31
                end of week = 2026-11-22
                end of the month = 2026-11-30
                end of year = 2026-12-31
                end of next week = 2026-11-29
                end of next month = 2026-12-31
                end of february = 2027-02-28
                end of february 2028 = 2028-02-29
                end of 2028 = 2028-12-31
                end of last month = 2026-10-31
                eom noon = 2026-11-30T12:00
                tonight = 2026-11-21T20:00
                tonight 22:00 = 2026-11-21T22:00
                10pm tonight = 2026-11-21T22:00
                noon = 2026-11-21T12:00
                midnight = 2026-11-22T00:00
                tomorrow noon = 2026-11-22T12:00
                noon tomorrow = 2026-11-22T12:00
                3d = 2026-11-24
                3 d = 2026-11-24
                3 days = 2026-11-24
                in 3d = 2026-11-24
                2w = 2026-12-05
                2w 9am = 2026-12-05T09:00
                3mo = 2027-02-21
                1y = 2027-11-21
                a week = 2026-11-28
                an hour = 2026-11-21T11:00
                30min = 2026-11-21T10:30
                in 30 min = 2026-11-21T10:30
                2h = 2026-11-21T12:00
                in 90min = 2026-11-21T11:30
                3 days ago = 2026-11-18
                2 hours ago = 2026-11-21T08:00
                a week ago 9:00 = 2026-11-14T09:00
                next month = 2026-12-21
                next week = 2026-11-28
                next year = 2027-11-21
                next friday = 2026-11-27
                this friday = 2026-11-27
                this saturday = 2026-11-21
                this sun 9am = 2026-11-22T09:00
                next fri 14:30 = 2026-11-27T14:30
                last friday = 2026-11-20
                last month = 2026-10-21
                last friday of december = 2026-12-25
                last fri of dec = 2026-12-25
                last friday of november = 2026-11-27
                first monday of december = 2026-12-07
                first monday of november = 2027-11-01
                1st monday of january = 2027-01-04
                3rd friday of january 2028 = 2028-01-21
                fifth monday of february = 2044-02-29
                first day of march = 2027-03-01
                last day of february = 2027-02-28
                last day of the year = 2026-12-31
                first day of next month = 2026-12-01
                first day of next week = 2026-11-23
                the last monday of this month = 2026-11-30
                last friday of december 14:30 = 2026-12-25T14:30
                the 15th = 2026-12-15
                15th = 2026-12-15
                21st = 2026-11-21
                31st = 2026-12-31
                the 30th 8am = 2026-11-30T08:00
                14:30 = 2026-11-21T14:30
                10:00 = 2026-11-22T10:00
                9am = 2026-11-22T09:00
                9 am = 2026-11-22T09:00
                9:15pm = 2026-11-21T21:15
                at 11:00 = 2026-11-21T11:00
                friday 14:30 = 2026-11-27T14:30
                14:30 friday = 2026-11-27T14:30
                9 am friday = 2026-11-27T09:00
                at 9 am 1 december = 2026-12-01T09:00
                fri, 27 nov = 2026-11-27
                """),
        Table(
            name: "the end of January", zone: .berlin, now: (2026, 1, 31, 12, 0),
            lines: """
                in 1 month = 2026-02-28
                next month = 2026-02-28
                1 month ago = 2025-12-31
                3mo = 2026-04-30
                tomorrow = 2026-02-01
                eom = 2026-01-31
                eow = 2026-02-01
                end of next month = 2026-02-28
                31st = 2026-01-31
                30th = 2026-03-30
                29th = 2026-03-29
                31.1. = 2026-01-31
                30.1. = 2027-01-30
                29.2. = 2028-02-29
                last day of month = 2026-01-31
                first day of month = 2026-02-01
                noon = 2026-02-01T12:00
                last saturday of january = 2026-01-31
                1y = 2027-01-31
                """),
        Table(
            name: "a leap day", zone: .berlin, now: (2028, 2, 29, 9, 0),
            lines: """
                today = 2028-02-29
                tomorrow = 2028-03-01
                in 1 year = 2029-02-28
                in 4 years = 2032-02-29
                1 year ago = 2027-02-28
                29 february = 2028-02-29
                28 february = 2029-02-28
                29.2. = 2028-02-29
                eom = 2028-02-29
                next month = 2028-03-29
                1mo = 2028-03-29
                end of next month = 2028-03-31
                last tuesday of february = 2028-02-29
                fifth tuesday of february = 2028-02-29
                30d = 2028-03-30
                366d = 2029-03-01
                """),
        Table(
            name: "the last minutes of a year", zone: .berlin, now: (2026, 12, 31, 23, 30),
            lines: """
                today = 2026-12-31
                tomorrow = 2027-01-01
                31.12. = 2026-12-31
                30.12. = 2027-12-30
                1.1. = 2027-01-01
                eoy = 2026-12-31
                eom = 2026-12-31
                eow = 2027-01-03
                end of next year = 2027-12-31
                in 30 min = 2027-01-01T00:00
                in 29 min = 2026-12-31T23:59
                midnight = 2027-01-01T00:00
                23:30 = 2027-01-01T23:30
                23:31 = 2026-12-31T23:31
                tonight = 2026-12-31T23:59
                tomorrow noon = 2027-01-01T12:00
                friday = 2027-01-01
                thursday = 2027-01-07
                next month = 2027-01-31
                2mo = 2027-02-28
                last friday of december = 2027-12-31
                first monday of january = 2027-01-04
                yesterday = 2026-12-30
                """),
        Table(
            name: "a Sunday", zone: .berlin, now: (2026, 11, 22, 8, 0),
            lines: """
                sunday = 2026-11-29
                monday = 2026-11-23
                saturday = 2026-11-28
                eow = 2026-11-22
                end of next week = 2026-11-29
                next week = 2026-11-29
                first day of next week = 2026-11-23
                first day of week = 2026-11-23
                first day of this week = 2026-11-16
                last sunday = 2026-11-15
                2w = 2026-12-06
                last sunday of november = 2026-11-29
                """),
        Table(
            name: "a Monday", zone: .berlin, now: (2026, 11, 23, 8, 0),
            lines: """
                sunday = 2026-11-29
                monday = 2026-11-30
                tuesday = 2026-11-24
                eow = 2026-11-29
                end of next week = 2026-12-06
                first day of week = 2026-11-23
                next monday = 2026-11-30
                last monday = 2026-11-16
                last monday of november = 2026-11-30
                fourth monday of november = 2026-11-23
                8:00 = 2026-11-24T08:00
                8:01 = 2026-11-23T08:01
                """),
        Table(
            name: "an evening", zone: .berlin, now: (2026, 11, 21, 21, 30),
            lines: """
                tonight = 2026-11-21T23:59
                tonight 22:00 = 2026-11-21T22:00
                tonight 9pm = 2026-11-21T21:00
                in 3 hours = 2026-11-22T00:30
                21:00 = 2026-11-22T21:00
                """),
        Table(
            name: "the day on which Berlin puts its clocks on", zone: .berlin, now: (2026, 3, 29, 1, 30),
            lines: """
                in 30 min = 2026-03-29T03:00
                in 1 hour = 2026-03-29T03:30
                in 24h = 2026-03-30T02:30
                in 1 day = 2026-03-30
                2:30 = 2026-03-29T02:30
                today 2:30 = 2026-03-29T02:30
                3:00 = 2026-03-29T03:00
                tomorrow 2:30 = 2026-03-30T02:30
                an hour ago = 2026-03-29T00:30
                eow = 2026-03-29
                noon = 2026-03-29T12:00
                """),
        Table(
            name: "the day on which Berlin puts its clocks back", zone: .berlin, now: (2026, 10, 25, 2, 30),
            lines: """
                in 30 min = 2026-10-25T02:00
                in 1 hour = 2026-10-25T02:30
                in 2h = 2026-10-25T03:30
                in 24h = 2026-10-26T01:30
                2:45 = 2026-10-25T02:45
                2:15 = 2026-10-26T02:15
                today 2:30 = 2026-10-25T02:30
                tomorrow = 2026-10-26
                3 hours ago = 2026-10-24T23:30
                """),
        Table(
            name: "the day on which New York puts its clocks on", zone: .newYork, now: (2026, 3, 8, 1, 30),
            lines: """
                today = 2026-03-08
                in 1 hour = 2026-03-08T03:30
                in 30 min = 2026-03-08T03:00
                2:30 = 2026-03-08T02:30
                tomorrow 9am = 2026-03-09T09:00
                in 24h = 2026-03-09T02:30
                8.3. = 2026-03-08
                second sunday of march = 2026-03-08
                """),
        Table(
            name: "the day on which New York puts its clocks back", zone: .newYork, now: (2026, 11, 1, 1, 30),
            lines: """
                in 1 hour = 2026-11-01T01:30
                in 2h = 2026-11-01T02:30
                in 24h = 2026-11-02T00:30
                1:45 = 2026-11-01T01:45
                first sunday of november = 2026-11-01
                eom = 2026-11-30
                tomorrow = 2026-11-02
                """),
        Table(
            name: "a Saturday that is looked back from", zone: .berlin, now: (2026, 11, 21, 10, 0), direction: .past,
            lines: """
                1.12. = 2025-12-01
                21.11. = 2026-11-21
                20 nov = 2026-11-20
                dec 1 = 2025-12-01
                friday = 2026-11-20
                saturday = 2026-11-14
                next friday = 2026-11-27
                last friday = 2026-11-20
                this friday = 2026-11-20
                this saturday = 2026-11-21
                day before yesterday = 2026-11-19
                eod = 2026-11-21
                eod yesterday = 2026-11-20
                3d = 2026-11-18
                in 3d = 2026-11-24
                2h = 2026-11-21T08:00
                30 min = 2026-11-21T09:30
                eow = 2026-11-15
                eom = 2026-10-31
                eoy = 2025-12-31
                first day of month = 2026-11-01
                first day of week = 2026-11-16
                last week = 2026-11-14
                last friday of december = 2025-12-26
                first monday of november = 2026-11-02
                the 15th = 2026-11-15
                29.2. = 2024-02-29
                14:30 = 2026-11-20T14:30
                10:00 = 2026-11-21T10:00
                noon = 2026-11-20T12:00
                tonight = 2026-11-21T20:00
                """),
    ]

    @Test(arguments: tables) func `a date is parsed as the expected day or minute`(table: Table) throws {
        let reader = try #require(table.reader)
        for (text, due) in table.rows { #expect((try? reader.due(text).text) ?? "refused" == due, "\(text)") }
    }

    @Test func `there are at least 200 rows`() { #expect(Self.tables.map(\.rows.count).reduce(0, +) >= 200) }

    @Test(arguments: [
        "someday", "1.13.", "1.12", "32.1.", "31.2.", "1.12.26", "12/1", "3m", "0th", "32nd", "last friday of",
        "last friday of soon",
        "fifth friday of february 2027", "first of december", "second day", "next 3 days", "eow eow", "friday tonight", "ago",
        "3 days ago ago",
        "25:00", "14:30 14:30", "noon noon", "1000001d", "end of", "sixth monday of march", "the", "last", "next", "29.2.2027",
        "29 feb 2027", "this", "this month", "day after", "day after friday", "eod eod friday", "in 2h eod", "tomorrow 9:00 eod",
    ])
    func `an invalid date is refused with a sentence`(text: String) throws {
        let reader = try #require(Self.tables[0].reader)
        let mistake = try #require(throws: DateMistake.self) { try reader.due(text) }
        #expect(mistake.message.hasSuffix("."))
    }

    @Test(arguments: ["", "someday", "1.12", "first of december", "1.12.26", "12/1", "3m"])
    func `an unknown form is refused with three examples`(text: String) throws {
        let reader = try #require(Self.tables[0].reader)
        let mistake = try #require(throws: DateMistake.self) { try reader.due(text) }
        let forms = mistake.message.components(after: [" Try ", " Write "])
        #expect(forms.count == 3)
        for form in forms { #expect(throws: Never.self) { try reader.due(form) } }
    }

    @Test func `the first day of the week is configurable`() throws {
        let sunday = try #require(Self.tables.first { $0.name == "a Sunday" }?.reader)
        var american = sunday
        american.weekBegin = 0
        #expect(try sunday.due("eow").text == "2026-11-22")
        #expect(try american.due("eow").text == "2026-11-28")
        #expect(try american.due("first day of week").text == "2026-11-22")
    }

    @Test func `a time that clocks skip has passed after the change`() throws {
        let reader = try #require(Self.tables.first { $0.name == "the day on which Berlin puts its clocks on" }?.reader)
        let due = try reader.due("2:30")
        // The minute before the change is 1:59, the next one is 3:00.
        #expect(!due.isOver(at: reader.zone.moment(at: reader.now + 29 * 60)))
        #expect(due.isOver(at: reader.zone.moment(at: reader.now + 30 * 60)))
    }
}

extension String {
    /// Returns the examples at the end of a sentence, such as `a, “b” or c`.
    fileprivate func components(after words: [String]) -> [String] {
        guard let rest = words.compactMap({ word in self.ranges(of: word).last.map { self[$0.upperBound...] } }).first else {
            return []
        }
        return rest.dropLast().split(separator: ", ").flatMap { $0.split(separator: " or ") }
            .map { String($0.filter { $0 != "“" && $0 != "”" }) }
    }
}
