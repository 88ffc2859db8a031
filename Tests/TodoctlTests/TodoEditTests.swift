import ArgumentParser
import Dates
import TestSupport
import Testing

@testable import todoctl

@Suite struct TodoEditTests {
    /// Saturday 21 November 2026, 10:00 in Berlin.
    private static let now = TodoTests.now
    private static let reader = DateReader(now: PointParserTests.now, zone: .berlin, direction: .future)

    private func reminder(_ text: String) throws -> ReminderTime { try ReminderTime(text, Self.reader) }

    @Test(
        arguments: [
            ("tomorrow 8:30", nil, "2026-11-22T08:30"), ("friday", nil, "2026-11-27T09:00"), ("in 1h", nil, "2026-11-21T11:00"),
            ("1h before", "2026-12-01T14:30", "2026-12-01T13:30"), ("1h before", "2026-12-01", "2026-11-30T23:00"),
            ("2 days before", "2026-12-01", "2026-11-29T09:00"), ("1 day before", "2026-12-01T14:30", "2026-11-30T14:30"),
            ("none", "2026-12-01", nil), ("None", nil, nil),
        ] as [(String, String?, String?)])
    func `a reminder has a time or is relative to the due date`(text: String, due: String?, time: String?) throws {
        let found = try reminder(text).time(before: due.flatMap { Due(text: $0) }, at: Self.now)
        #expect(found?.text == time)
    }

    @Test func `a past reminder, or a relative one without a date, is refused with a suggestion`() throws {
        let past = #expect(throws: Failure.self) { try reminder("today 10:00").time(before: nil, at: Self.now) }
        #expect(
            past?.message
                == "That is past: Saturday 21 November 2026 10:00. Say when to remind from now on, such as --remind \"tomorrow 9:00\"."
        )
        let counted = #expect(throws: Failure.self) {
            try reminder("1d before").time(before: Due(text: "2026-11-22T09:00"), of: 4, at: Self.now)
        }
        #expect(counted?.message.hasPrefix("Todo 4: that is past: Saturday 21 November 2026 09:00.") == true)
        let dateless = #expect(throws: Failure.self) { try reminder("1h before").time(before: nil, at: Self.now) }
        #expect(dateless?.message == "“1h before” is relative to the due date; give it as well. To say it: --due DATE")
        let own = #expect(throws: Failure.self) { try reminder("1h before").time(before: nil, of: 4, at: Self.now) }
        #expect(own?.message == "“1h before” is relative to the due date; todo 4 has none. To say it: --due DATE")
        #expect([past, counted, dateless, own].allSatisfy { $0?.code == .usage })
    }

    @Test(
        arguments: [
            (["add", "Meet", "--remind", "1h", "before"], ["add", "Meet", "--remind", "1h before"]),
            (["add", "-r", "2", "days", "before", "Meet"], ["add", "-r", "2 days before", "Meet"]),
            (["edit", "3", "--remind=1", "hour", "before"], ["edit", "3", "--remind=1 hour before"]),
            (["edit", "3", "-r", "1h before", "-n"], ["edit", "3", "-r", "1h before", "-n"]),
            (["add", "Meet", "--remind", "1h", "after"], ["add", "Meet", "--remind", "1h", "after"]),
            (["add", "--", "--remind", "1h", "before"], ["add", "--", "--remind", "1h", "before"]),
            (["list", "--remind", "1h", "before"], ["list", "--remind", "1h", "before"]), (["add", "-r"], ["add", "-r"]),
            ([], []),
        ] as [([String], [String])])
    func `the words of a reminder need no quotes`(arguments: [String], joined: [String]) {
        #expect(ReminderTime.joined(arguments) == joined)
    }

    @Test func `an edit is the same for all todos, or depends on the tags and the date of each`() throws {
        let bank = TodoTests.todo(3, "Call the bank", due: "2026-12-01", tags: ["Work", "home"])
        let dateless = TodoTests.todo(4, "Rest")
        func applied(_ edit: TodoEdit, to todo: Todo?) throws -> TodoDraft { try edit.applied(to: todo, at: Self.now) }
        #expect(try applied(TodoEdit(draft: TodoDraft(priority: 2)), to: nil) == TodoDraft(priority: 2))
        let dated = TodoEdit(draft: TodoDraft(due: Due(text: "2026-12-02")), reminder: try reminder("1h before"))
        #expect(try !dated.isOfEach && applied(dated, to: nil).remind == Due(text: "2026-12-01T23:00"))
        let tagged = TodoEdit(draft: TodoDraft(), tags: ["shop"], untag: ["work"])
        #expect(tagged.isOfEach && !TodoEdit(draft: TodoDraft(priority: 1), reminder: .never).isOfEach)
        #expect(try applied(tagged, to: bank).tags == ["home", "shop"])
        let reminded = TodoEdit(draft: TodoDraft(), reminder: try reminder("2 days before"))
        #expect(try reminded.isOfEach && applied(reminded, to: bank).remind == Due(text: "2026-11-29T09:00"))
        #expect(throws: Failure.self) { try applied(reminded, to: dateless) }
        // Without a due date a relative reminder has no reference.
        #expect(throws: Failure.self) {
            try applied(
                TodoEdit(draft: TodoDraft(due: .some(nil)), reminder: .before(.init(count: -1, unit: .hour), text: "1h before")),
                to: bank)
        }
        let recurring = TodoEdit(draft: TodoDraft(every: "every monday", ruleMinute: 540))
        #expect(try recurring.isOfEach && applied(recurring, to: bank).due == Due(text: "2026-12-01T09:00"))
        #expect(try applied(recurring, to: dateless).due == Due(text: "2026-11-23T09:00"))
        let daily = TodoEdit(draft: TodoDraft(every: "every day", ruleMinute: 540))
        #expect(try applied(daily, to: dateless).due == Due(text: "2026-11-22T09:00"))
    }

    @Test func `the time after a rule is that of a date without a time`() throws {
        func due(_ text: String?, _ minute: Int?) throws -> String? {
            var draft = TodoDraft(due: text.map { Due(text: $0) }, ruleMinute: minute)
            try draft.takeRuleMinute()
            return (draft.due ?? nil)?.text
        }
        #expect(try due("2026-12-01", 540) == "2026-12-01T09:00" && due("2026-12-01T09:00", 540) == "2026-12-01T09:00")
        #expect(try due("2026-12-01", nil) == "2026-12-01" && due(nil, 540) == nil)
        let twice = #expect(throws: Failure.self) { try due("2026-12-01T08:00", 540) }
        #expect(twice?.message == "The time is said twice, with the date and with the rule. Leave one of them out.")
        var draft = TodoDraft(due: .some(nil), wait: .some(nil), every: "", remind: .some(nil))
        draft.dropNone()
        #expect(draft == TodoDraft())
    }

    @Test(arguments: [
        ["--due", "none", "--no-due"], ["--every", "week", "--no-every"], ["--remind", "noon", "--no-remind"],
        ["--wait", "friday", "--no-wait"],
    ])
    func `adding and removing the same value at once is refused`(options: [String]) throws {
        let error = #expect(throws: (any Error).self) { try Todoctl.parseAsRoot(["edit", "3"] + options) }
        #expect(Todoctl.fullMessage(for: try #require(error)).contains("exclude each other"))
        let edit = try #require(
            try Todoctl.parseAsRoot(["edit", "3", "--no-due", "--no-wait", "--no-every", "--no-remind"]) as? Edit)
        var draft = TodoDraft()
        edit.cleared.clear(&draft)
        #expect(draft == TodoDraft(due: .some(nil), wait: .some(nil), every: "", remind: .some(nil)))
    }
}
