import Dates
import TestSupport
import Testing
import TodoAPI

@testable import todoctl

@Suite struct PointParserTests {
    /// Saturday 21 November 2026, 10:00 in Berlin.
    static let now: Int64 = 1_795_251_600
    static let parser = PointParser(now: now, zone: .berlin)

    @Test(arguments: [
        ("1234", Point(sequence: 1234)), ("0", Point(sequence: 0)), ("@12", Point(sequence: 12)), ("-3", Point(back: 3)),
        ("@-3", Point(back: 3)), ("-0", Point(back: 0)), ("start", .start), ("now", .now), ("NOW", .now), ("head", .now),
        ("release-1", Point(bookmark: "release-1")), ("Été", Point(bookmark: "Été")), ("Before", Point(bookmark: "Before")),
        ("december", Point(bookmark: "december")), (" v1.0 ", Point(bookmark: "v1.0")),
        ("release-1~3", Point(bookmark: "release-1", before: 3)), ("@-3~1", Point(back: 4)), ("-3~1~2", Point(back: 6)),
        ("12~3", Point(sequence: 9)), ("12~12", Point(sequence: 0)), ("now~2", Point(back: 2)),
        ("start~1", Point(bookmark: "start", before: 1)), ("1795251600123456", Point(time: 1_795_251_600_123_456)),
    ])
    func `a position, a word and a bookmark are points`(text: String, point: Point) throws {
        #expect(try Self.parser.point(text).point == point)
    }

    @Test(arguments: [
        ("2026-11-20 14:00", "2026-11-20 14:00:00"), ("2026-11-20T14:00", "2026-11-20 14:00:00"),
        ("2026-11-20 14:00:05", "2026-11-20 14:00:05"), ("2026-11-20", "2026-11-20 00:00:00"),
        ("yesterday 9:00", "2026-11-20 09:00:00"), ("Yesterday", "2026-11-20 00:00:00"), ("today", "2026-11-21 00:00:00"),
        ("today 9:30", "2026-11-21 09:30:00"), ("friday", "2026-11-20 00:00:00"), ("last friday 14:30", "2026-11-20 14:30:00"),
        ("saturday", "2026-11-14 00:00:00"), ("sunday at 2pm", "2026-11-15 14:00:00"), ("9:00", "2026-11-21 09:00:00"),
        ("10:00", "2026-11-21 10:00:00"), ("10:01", "2026-11-20 10:01:00"), ("noon", "2026-11-20 12:00:00"),
        ("yesterday noon", "2026-11-20 12:00:00"), ("20 november", "2026-11-20 00:00:00"),
        ("nov 22", "2025-11-22 00:00:00"), ("29 february", "2024-02-29 00:00:00"),
        ("friday 20 november 2026 9am", "2026-11-20 09:00:00"), ("10 minutes ago", "2026-11-21 09:50:00"),
        ("an hour ago", "2026-11-21 09:00:00"), ("30 seconds ago", "2026-11-21 09:59:30"), ("2 days ago", "2026-11-19 10:00:00"),
        ("a week ago", "2026-11-14 10:00:00"), ("1 month ago", "2026-10-21 10:00:00"), ("a year ago", "2025-11-21 10:00:00"),
        ("tomorrow 9:00", "2026-11-22 09:00:00"), ("thurs", "2026-11-19 00:00:00"), ("tues 9:00", "2026-11-17 09:00:00"),
        ("2026-11-20T14:00:05Z", "2026-11-20 15:00:05"), ("2026-11-20 14:00:05 +0100", "2026-11-20 14:00:05"),
        ("2026-11-20T14:00-02:30", "2026-11-20 17:30:00"), ("20 november 14:00+01", "2026-11-20 14:00:00"),
    ])
    func `times are parsed in natural language and refer to the past`(text: String, moment: String) throws {
        let time = try #require(try Self.parser.point(text).time)
        #expect(time % 1_000_000 == 0)
        #expect(Zone.berlin.moment(at: time / 1_000_000).text == moment)
    }

    @Test(arguments: [
        "", " ", "someday maybe", "ago", "3 ago", "three days ago", "2026-02-29", "2026-13-01 9:00", "yesterday 25:00", "9:60",
        "yesterday 9:00:60", "monday 20 november 2026", "31 november", "@", "-", "99999999999999999999", "9007199254740992",
        "10 fortnights ago", "9999999 days ago", "2026-11-20 14:00 15:00", "12~13", "12~", "12~x", "~1", "a~9007199254740992",
        "@1795251600123456789", "14:00+01:00", "2026-11-20 14:00+25:00", "2026-11-20 14:00+1", "2026-11-20 14:00:05.",
        "2026-11-20 9am+01:00",
    ])
    func `an invalid point is refused`(text: String) {
        #expect(throws: DateMistake.self) { try Self.parser.point(text) }
    }

    @Test(arguments: [
        ("midnight", "2026-11-21 00:00:00"), ("at noon", "2026-11-20 12:00:00"), ("friday midnight", "2026-11-20 00:00:00"),
        ("last saturday noon", "2026-11-14 12:00:00"), ("21 november", "2026-11-21 00:00:00"),
        ("5 min ago", "2026-11-21 09:55:00"), ("3d", "2026-11-18 10:00:00"), ("2h", "2026-11-21 08:00:00"),
        ("90 min", "2026-11-21 08:30:00"), ("last week", "2026-11-14 00:00:00"), ("eom", "2026-10-31 00:00:00"),
        ("first day of month", "2026-11-01 00:00:00"), ("last friday of october", "2026-10-30 00:00:00"),
        ("1.12.", "2025-12-01 00:00:00"), ("1.12.2026", "2026-12-01 00:00:00"), ("9am yesterday", "2026-11-20 09:00:00"),
        ("3 days ago 9:00", "2026-11-18 09:00:00"), ("in 30 min", "2026-11-21 10:30:00"), ("tonight", "2026-11-21 20:00:00"),
        ("next friday", "2026-11-27 00:00:00"),
    ])
    func `a word for a day or a time also refers to the past`(text: String, moment: String) throws {
        let time = try #require(try Self.parser.point(text).time)
        #expect(Zone.berlin.moment(at: time / 1_000_000).text == moment)
    }

    @Test(arguments: [
        "2026-\u{1B}[31m", "tomorrow \u{1B}[31m", "\u{1B}[31m", "in 3 \u{1B}[31m", "next \u{1B}[31m", "1 december \u{1B}[31m",
    ])
    func `control characters of the input are escaped in errors`(text: String) throws {
        let due = try #require(throws: DateMistake.self) {
            try DateReader(now: Self.now, zone: .berlin, direction: .future).due(text)
        }
        let point = try #require(throws: DateMistake.self) { try Self.parser.point(text) }
        for message in [Failure(due).message, Failure(point).message] {
            #expect(message.contains("\\u{1b}[31m"))
            #expect(!message.contains("\u{1B}"))
        }
    }

    @Test func `a whole day begins a range at its start and ends a range at its end`() throws {
        let yesterday = try Self.parser.point("yesterday", edge: .end).time
        #expect(yesterday == (try Self.parser.point("today").time ?? 0) - 1)
        // Today ends now because later records do not exist yet.
        #expect(try Self.parser.point("today", edge: .end).point == .now)
    }

    /// The input, its first microsecond, and the first microsecond after it.
    static let spans: [(String, Int64, Int64)] = [
        ("2026-11-20", 1_795_129_200_000_000, 1_795_215_600_000_000),
        ("yesterday", 1_795_129_200_000_000, 1_795_215_600_000_000),
        ("friday", 1_795_129_200_000_000, 1_795_215_600_000_000),
        ("yesterday 9:00", 1_795_161_600_000_000, 1_795_161_660_000_000),
        ("2026-11-20 09:00", 1_795_161_600_000_000, 1_795_161_660_000_000),
        ("2026-11-20 09:00:05", 1_795_161_605_000_000, 1_795_161_606_000_000),
        ("2026-11-20T09:00:05+01:00", 1_795_161_605_000_000, 1_795_161_606_000_000),
        ("2026-11-20T08:00:05.25Z", 1_795_161_605_250_000, 1_795_161_605_260_000),
        ("2026-11-20 09:00:05.123456", 1_795_161_605_123_456, 1_795_161_605_123_457),
        ("1795161605123456", 1_795_161_605_123_456, 1_795_161_605_123_457),
        ("10 minutes ago", 1_795_251_000_000_000, 1_795_251_001_000_000),
    ]

    @Test(arguments: spans)
    func `a day, a minute or a second begins a range at its start and means its end elsewhere`(
        text: String, first: Int64, next: Int64
    ) throws {
        #expect(try Self.parser.point(text, edge: .beginning).time == first)
        #expect(try Self.parser.point(text, edge: .end).time == next - 1)
        #expect(try Self.parser.point(text, edge: .moment).time == next - 1)
        for edge in [PointParser.Edge.before, .momentBefore] {
            let before = try Self.parser.point(text, edge: edge)
            // The moment is within the range; the text shown is the input.
            #expect(before.point.time == first - 1 && before.time == first)
        }
    }

    @Test(arguments: ["today", "10:00", "2026-11-21 10:00:00", "0 seconds ago"])
    func `a period in progress ends now`(text: String) throws {
        #expect(try Self.parser.point(text, edge: .end).point == .now)
        #expect(try Self.parser.point(text, edge: .moment).point == .now)
    }

    @Test(arguments: ["tomorrow", "tomorrow 9:00", "2026-11-21 10:00:01", "2027-01-01", "4000000000000000"])
    func `a future time ends a range now, is refused as a single moment, and everything is before it`(text: String) throws {
        #expect(try Self.parser.point(text, edge: .end).point == .now)
        #expect(try Self.parser.point(text, edge: .moment).time ?? 0 > Self.now * 1_000_000)
        let before = try Self.parser.point(text, edge: .before)
        #expect(before.point == .now || before.point.time == Self.now * 1_000_000 + 999_999)
    }

    @Test(arguments: ["1234", "-3", "start", "now", "release-1", "release-1~3"])
    func `a point that is not a time has no bounds`(text: String) throws {
        let point = try Self.parser.point(text, edge: .beginning)
        for edge in [PointParser.Edge.end, .moment, .before, .momentBefore] {
            #expect(try Self.parser.point(text, edge: edge) == point)
        }
    }

    @Test func `an offset selects one of two times with the same local form`() throws {
        let first = try #require(try Self.parser.point("2026-10-25T02:30:00+02:00").time)
        let second = try #require(try Self.parser.point("2026-10-25T02:30:00+01:00").time)
        #expect(second - first == 3_600_000_000)
        #expect(try Self.parser.point("2026-10-25 02:30:00").time == first)
        for time in [first, second] {
            #expect(Zone.berlin.moment(at: time / 1_000_000).text == "2026-10-25 02:30:00")
        }
    }

    @Test(arguments: ["thu", "thur", "thurs", "thursday", "Tues", "wedn", "sund"])
    func `a weekday may be abbreviated`(text: String) throws { #expect(try Self.parser.point(text).time != nil) }

    @Test func `a repeated local time is the first one, and a skipped one is shifted forward`() {
        // 25 October 2026: clocks go back from 3:00 to 2:00. 29 March 2026: clocks go forward from 2:00 to 3:00.
        let autumn = Day(number: 20_751)
        #expect(autumn.text == "2026-10-25")
        let twice = Zone.berlin.instant(autumn, 2 * 3600 + 1800)
        #expect(Zone.berlin.moment(at: twice) == Zone.berlin.moment(at: twice + 3600))
        #expect(Zone.berlin.offsetText(at: twice) == "+0200")
        let spring = Day(number: 20_541)
        #expect(spring.text == "2026-03-29")
        #expect(Zone.berlin.moment(at: Zone.berlin.instant(spring, 2 * 3600 + 1800)).text == "2026-03-29 03:30:00")
        for second in stride(from: 0, to: 86_400, by: 3_600) where second != 7_200 {
            #expect(Zone.berlin.moment(at: Zone.berlin.instant(spring, second)) == Moment(day: spring, second: second))
        }
        #expect(Zone { _ in -12_600 }.offsetText(at: 0) == "-0330")
    }
}
