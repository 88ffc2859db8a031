import Dates
import Testing

/// Expected occurrences; the table was computed day by day, independently of the implementation.
@Suite struct RecurrenceTests {
    private static func day(_ text: String) throws -> Day { try #require(Day(iso: text[...])) }

    // The rule, the last due date, the day of completion and the next due date.
    @Test(
        arguments: [
            ("every day", "2026-11-20", "2026-11-20", "2026-11-21"),
            ("every day", "2026-12-31", "2026-12-31", "2027-01-01"),
            ("every day", "2028-02-28", "2028-02-28", "2028-02-29"),
            ("every day", "2027-02-28", "2027-02-28", "2027-03-01"),
            ("every day", "2026-11-20", "2026-11-25", "2026-11-26"),
            ("every day", "2026-11-20", "2026-11-18", "2026-11-21"), ("every day", nil, "2026-11-20", "2026-11-21"),
            ("every 3 days", "2026-11-20", "2026-11-20", "2026-11-23"),
            ("every 3 days", "2026-11-20", "2026-11-22", "2026-11-23"),
            ("every 3 days", "2026-11-20", "2026-11-23", "2026-11-26"),
            ("every 3 days", "2026-12-30", "2026-12-30", "2027-01-02"),
            ("every week", "2026-11-20", "2026-11-20", "2026-11-27"),
            ("every week", "2026-11-20", "2026-11-27", "2026-12-04"),
            ("every 2 weeks", "2026-11-20", "2026-12-03", "2026-12-04"),
            ("every 2 weeks", "2026-11-20", "2026-12-04", "2026-12-18"),
            ("every 2 weeks", "2026-12-25", "2026-12-25", "2027-01-08"),
            ("every monday", "2026-11-23", "2026-11-23", "2026-11-30"),
            ("every monday", "2026-11-23", "2026-11-22", "2026-11-30"),
            ("every monday", "2026-11-23", "2026-12-02", "2026-12-07"),
            ("every monday", nil, "2026-11-23", "2026-11-30"),
            ("every monday", "2026-11-20", "2026-11-20", "2026-11-23"),
            ("every monday", "2026-12-28", "2026-12-28", "2027-01-04"),
            ("every weekday", "2026-11-20", "2026-11-20", "2026-11-23"),
            ("every weekday", "2026-11-19", "2026-11-19", "2026-11-20"),
            ("every weekday", "2026-11-20", "2026-11-21", "2026-11-23"),
            ("every monday and friday", "2026-11-20", "2026-11-20", "2026-11-23"),
            ("every monday and friday", "2026-11-23", "2026-11-23", "2026-11-27"),
            ("every 2 weeks on monday", "2026-11-23", "2026-11-23", "2026-12-07"),
            ("every 2 weeks on monday", "2026-11-23", "2026-11-30", "2026-12-07"),
            ("every 2 weeks on monday", "2026-11-20", "2026-11-20", "2026-11-30"),
            ("every 2 weeks on tuesday and sunday", "2026-11-24", "2026-11-24", "2026-11-29"),
            ("every 2 weeks on tuesday and sunday", "2026-11-29", "2026-11-29", "2026-12-08"),
            ("every month", "2026-11-20", "2026-11-20", "2026-12-20"),
            ("every month", "2027-01-31", "2027-01-31", "2027-02-28"),
            ("every month", "2028-01-31", "2028-01-31", "2028-02-29"),
            ("every month", "2026-12-31", "2026-12-31", "2027-01-31"),
            ("every month", "2026-08-31", "2026-11-20", "2026-11-30"), ("every month", nil, "2026-11-30", "2026-12-30"),
            ("every month on the 31st", "2027-02-28", "2027-02-28", "2027-03-31"),
            ("every month on the 31st", "2027-01-31", "2027-01-31", "2027-02-28"),
            ("every month on the 31st", "2028-02-29", "2028-03-02", "2028-03-31"),
            ("every month on the 15th", "2026-11-20", "2026-11-20", "2026-12-15"),
            ("every month on the 15th", "2026-11-10", "2026-11-12", "2026-11-15"),
            ("every 3 months on the 30th", "2026-11-30", "2026-11-30", "2027-02-28"),
            ("every 3 months on the 30th", "2027-11-30", "2027-12-01", "2028-02-29"),
            ("every 2 months", "2026-12-31", "2026-12-31", "2027-02-28"),
            ("every 2 months", "2026-11-20", "2027-01-20", "2027-03-20"),
            ("every year", "2026-11-20", "2026-11-20", "2027-11-20"),
            ("every year", "2028-02-29", "2028-02-29", "2029-02-28"),
            ("every year", "2026-11-20", "2029-01-01", "2029-11-20"),
            ("every 4 years", "2028-02-29", "2028-02-29", "2032-02-29"),
            ("every 29 february", "2028-02-29", "2028-02-29", "2029-02-28"),
            ("every 29 february", "2031-02-28", "2031-02-28", "2032-02-29"),
            ("every 24 december", "2026-12-24", "2026-12-24", "2027-12-24"),
            ("every 24 december", "2026-12-24", "2026-12-20", "2027-12-24"),
            ("every 24 december", nil, "2026-11-20", "2026-12-24"),
            ("every last day of the month", "2026-11-30", "2026-11-30", "2026-12-31"),
            ("every last day of the month", "2027-01-31", "2027-01-31", "2027-02-28"),
            ("every last day of the month", "2028-01-31", "2028-02-01", "2028-02-29"),
            ("every last day of the month", "2026-11-20", "2026-11-20", "2026-11-30"),
            ("every last day of the month", "2026-12-31", "2026-12-31", "2027-01-31"),
            ("every first monday of the month", "2026-11-02", "2026-11-02", "2026-12-07"),
            ("every first monday of the month", "2026-12-07", "2026-12-07", "2027-01-04"),
            ("every first monday of the month", "2026-12-07", "2027-01-04", "2027-02-01"),
            ("every fifth friday of the month", "2026-10-30", "2026-10-30", "2027-01-29"),
            ("every fifth friday of the month", "2026-11-20", "2026-11-20", "2027-01-29"),
            ("every last friday of december", "2026-12-25", "2026-12-25", "2027-12-31"),
            ("every last friday of december", "2026-12-25", "2026-12-01", "2027-12-31"),
            ("every last day of february", "2027-02-28", "2027-02-28", "2028-02-29"),
            ("every third thursday of november", "2026-11-19", "2026-11-19", "2027-11-18"),
            ("every fifth monday of february", "2072-02-29", "2072-02-29", "2112-02-29"),
            ("3 days after done", "2026-11-20", "2026-11-20", "2026-11-23"),
            ("3 days after done", "2026-11-20", "2026-12-30", "2027-01-02"),
            ("3 days after done", "2026-11-20", "2026-11-10", "2026-11-13"),
            ("3 days after done", nil, "2028-02-27", "2028-03-01"),
            ("1 week after done", "2026-11-20", "2026-12-28", "2027-01-04"),
            ("1 month after done", "2026-11-20", "2027-01-31", "2027-02-28"),
            ("1 month after done", nil, "2028-01-31", "2028-02-29"),
            ("1 year after done", nil, "2028-02-29", "2029-02-28"),
        ] as [(String, String?, String, String)])
    func `a completed todo recurs on the next day of its rule`(rule: String, due: String?, done: String, next: String) throws {
        let recurrence = try Recurrence(rule)
        #expect(recurrence.text == rule)
        let found = recurrence.next(after: try Self.day(done), due: try due.map(Self.day))
        #expect(found?.text == next)
    }

    @Test(arguments: [
        ("every day", "2026-11-20"), ("every 2 weeks", "2026-11-20"), ("every month", "2026-11-20"),
        ("every monday", "2026-11-23"),
        ("every 2 weeks on monday", "2026-11-23"), ("every 2 weeks on friday", "2026-11-20"), ("every weekday", "2026-11-20"),
        ("every last day of the month", "2026-11-30"), ("every month on the 15th", "2026-12-15"),
        ("every month on the 20th", "2026-11-20"), ("every 24 december", "2026-12-24"),
        ("every first monday of the month", "2026-12-07"), ("3 days after done", "2026-11-20"),
    ])
    func `a series starts on the first day of its rule, today included`(rule: String, first: String) throws {
        #expect(try Recurrence(rule).first(from: try Self.day("2026-11-20"))?.text == first)
    }

    @Test(arguments: [
        ("daily", "every day"), ("Every Day", "every day"), ("each week", "every week"), ("1 week", "every week"),
        ("every 3d", "every 3 days"), ("every other week", "every 2 weeks"), ("every other monday", "every 2 weeks on monday"),
        ("mon", "every monday"), ("friday, monday", "every monday and friday"),
        ("mon tue and sun", "every monday, tuesday and sunday"),
        ("every workday", "every weekday"), ("monday tuesday wednesday thursday friday", "every weekday"),
        ("every quarter", "every 3 months"), ("annually", "every year"), ("every 24 months", "every 2 years"),
        ("every month on the 1.", "every month on the 1st"), ("every 22nd", "every month on the 22nd"),
        ("the 13th of the month", "every month on the 13th"), ("first day of the month", "every month on the 1st"),
        ("end of the month", "every last day of the month"), ("the last day of each month", "every last day of the month"),
        ("3rd friday of the month", "every third friday of the month"), ("last friday of dec", "every last friday of december"),
        ("every december 24", "every 24 december"), ("24th of december", "every 24 december"),
        ("first day of may", "every 1 may"), ("every 3 days after done", "3 days after done"),
        ("a week after done", "1 week after done"), ("every first monday", "every first monday of the month"),
        ("1st monday", "every first monday of the month"), ("the last friday", "every last friday of the month"),
    ])
    func `natural-language rules are parsed to their canonical form`(text: String, form: String) throws {
        #expect(try Recurrence(text).text == form)
        #expect(try Recurrence(form).text == form)
    }

    @Test(arguments: [
        "", "every", "every other", "every second", "every second monday", "every 2nd monday", "every last day", "every 0 days",
        "every 1001 days", "every 2 hours", "every 3m", "every monday 9:00", "every monday and", "every 32nd", "every 31 april",
        "every sixth monday of the month", "every 6th monday of the month", "every month on the last", "every day on monday",
        "soon",
        "after done", "2 hours after done", "every week on the 3rd", "tomorrow", "every two weeks",
    ])
    func `an invalid rule is refused`(text: String) {
        #expect(throws: DateMistake.self) { try Recurrence(text) }
    }

    @Test func `a time of day may follow a rule`() throws {
        for (text, form, minute) in [
            ("every monday 9:00", "every monday", 540), ("every day at noon", "every day", 720),
            ("every 2 weeks", "every 2 weeks", nil),
            ("every 24 december 18:30", "every 24 december", 1110), ("every month on the 3rd 9am", "every month on the 3rd", 540),
        ] as [(String, String, Int?)] {
            let reading = try Recurrence.reading(text)
            #expect(reading.recurrence.text == form && reading.minute == minute, "\(text)")
        }
        for text in ["every monday 9:00:30", "every monday 9:00+01:00", "9:00", "monday friday 25:00"] {
            #expect(throws: DateMistake.self, "\(text)") { try Recurrence.reading(text) }
        }
    }

    @Test func `a rule remembers the end of the month on which it began`() throws {
        for (rule, day, form) in [
            ("every month", "2027-01-31", "every month on the 31st"), ("every month", "2027-01-28", "every month"),
            ("every 3 months", "2026-11-30", "every 3 months on the 30th"), ("every year", "2028-02-29", "every 29 february"),
            ("every 4 years", "2028-02-29", "every 4 years on the 29th"), ("every year", "2027-01-31", "every year"),
            ("every day", "2027-01-31", "every day"), ("every month on the 30th", "2027-01-31", "every month on the 30th"),
        ] {
            #expect(try Recurrence(rule).anchored(at: try Self.day(day)).text == form, "\(rule) \(day)")
        }
    }

    @Test func `nothing recurs beyond the year 9999`() throws {
        let last = try Self.day("9999-12-31")
        let rules = [
            "every day", "every 2 weeks on monday", "every month", "every 24 december", "every last day of the month",
            "1 year after done",
        ]
        for rule in rules {
            #expect(try Recurrence(rule).next(after: last, due: last) == nil, "\(rule)")
        }
    }

    @Test func `the next day is after the due date and the completion for every rule`() throws {
        let rules = [
            "every day", "every 5 days", "every weekday", "every 3 weeks on tuesday", "every month", "every last friday of may",
        ]
        let start = try Self.day("2027-12-20").number
        for rule in try rules.map(Recurrence.init) {
            for (due, done) in (0..<60).flatMap({ due in [0, 1, 7, 40].map { (start + due, start + due - 20 + $0) } }) {
                let next = try #require(rule.next(after: Day(number: done), due: Day(number: due)))
                #expect(next.number > max(due, done))
                // No occurrence is skipped: completing on the previous day gives the same result.
                #expect(rule.next(after: next.adding(days: -1), due: Day(number: due)) == next)
            }
        }
    }
}
