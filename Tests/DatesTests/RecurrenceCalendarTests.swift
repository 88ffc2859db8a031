import Dates
import Testing

/// Conversion of rules to and from RRULE.
@Suite struct RecurrenceCalendarTests {
    private static let table: [(rule: String, rrule: String)] = [
        ("every day", "FREQ=DAILY"), ("every 3 days", "FREQ=DAILY;INTERVAL=3"), ("every week", "FREQ=WEEKLY"),
        ("every weekday", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"),
        ("every 2 weeks on monday and sunday", "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,SU"),
        ("every month", "FREQ=MONTHLY"), ("every 3 months", "FREQ=MONTHLY;INTERVAL=3"),
        ("every month on the 15th", "FREQ=MONTHLY;BYMONTHDAY=15"),
        ("every month on the 30th", "FREQ=MONTHLY;BYMONTHDAY=28,29,30;BYSETPOS=-1"),
        ("every 2 months on the 31st", "FREQ=MONTHLY;INTERVAL=2;BYMONTHDAY=-1"),
        ("every last day of the month", "FREQ=MONTHLY;BYMONTHDAY=-1"),
        ("every second tuesday of the month", "FREQ=MONTHLY;BYDAY=2TU"),
        ("every last friday of the month", "FREQ=MONTHLY;BYDAY=-1FR"), ("every year", "FREQ=YEARLY"),
        ("every 24 december", "FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=24"),
        ("every last friday of december", "FREQ=YEARLY;BYMONTH=12;BYDAY=-1FR"),
        ("every 90 years on the 15th", "FREQ=MONTHLY;INTERVAL=1080;BYMONTHDAY=15"),
    ]

    @Test(arguments: table) func `a rule converts to RRULE and back`(
        rule: String, rrule: String
    ) throws {
        #expect(try Recurrence(rule).rrule == rrule)
        #expect(Recurrence(rrule: rrule)?.text == rule)
    }

    @Test(arguments: [
        ("every month on the 31st", "every last day of the month"), ("every 29 february", "every last day of february"),
    ]) func `a day that is always the last of its month becomes the last day`(rule: String, read: String) throws {
        #expect(try Recurrence(rule).rrule.flatMap { Recurrence(rrule: $0) }?.text == read)
    }

    @Test(arguments: [
        ("FREQ=DAILY;BYDAY=MO,FR", "every monday and friday"), ("freq=weekly;wkst=su;byday=mo", "every monday"),
        ("FREQ=MONTHLY;BYDAY=+1MO", "every first monday of the month"),
        ("FREQ=MONTHLY;BYDAY=MO;BYSETPOS=-1", "every last monday of the month"),
    ]) func `equivalent RRULEs are parsed`(rrule: String, rule: String) {
        #expect(Recurrence(rrule: rrule)?.text == rule)
    }

    @Test(arguments: [
        "", "FREQ=HOURLY", "FREQ=DAILY;COUNT=3", "FREQ=WEEKLY;UNTIL=20270101", "FREQ=DAILY;INTERVAL=0",
        "FREQ=DAILY;INTERVAL=1001",
        "FREQ=MONTHLY;BYMONTHDAY=31", "FREQ=MONTHLY;BYMONTHDAY=1,15", "FREQ=MONTHLY;BYDAY=MO", "FREQ=MONTHLY;BYDAY=6MO",
        "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29", "FREQ=YEARLY;BYMONTH=13;BYMONTHDAY=1", "FREQ=YEARLY;BYMONTH=5",
        "FREQ=WEEKLY;INTERVAL=2;WKST=SU;BYDAY=MO", "FREQ=DAILY;FREQ=DAILY", "FREQ=WEEKLY;BYDAY=", "FREQ", "INTERVAL=1",
    ]) func `an RRULE that a rule can't express is refused`(rrule: String) {
        #expect(Recurrence(rrule: rrule) == nil)
    }

    @Test func `a rule relative to completion has no RRULE`() throws {
        #expect(try Recurrence("3 days after done").rrule == nil)
        #expect(try Recurrence("3 days after done").intervalAfterDone == TimeShift(count: 3, unit: .day))
        #expect(try Recurrence("every 2 years").interval == TimeShift(count: 2, unit: .year))
        #expect(try Recurrence("every monday").interval == nil)
    }
}
