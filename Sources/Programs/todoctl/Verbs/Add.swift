import ArgumentParser
import Dates
import TodoAPI

struct Add: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Add a todo; the words need no quotes.",
        discussion: """
            EXAMPLES:
              todoctl add Buy the milk
              todoctl add Call the bank --due friday --tag phone --priority high
              todoctl add Call the bank -d friday -t phone -p high
              todoctl add Pay the rent --due "tomorrow 9:00" --note "the new account"
              todoctl add Call the bank friday 14:30 +work '!high'
              todoctl add Do the taxes --wait-until "1 march"
              todoctl add Hang the picture after:12
              todoctl add Water the plants every monday 9:00
              todoctl add Air the room tomorrow every day
              todoctl add Mow the lawn --every "10 days after done"
              todoctl add Meet Anna friday 14:30 --remind "1h before"
              todoctl add --plain Write about Friday
              todoctl add --stdin < titles.txt

            Besides the title, the words can contain a date at the end, +tag or #tag (quoted in a shell), !high, after:12, and a
            recurrence rule at the end (every monday 9:00, 3 days after done, daily), optionally after the date of the first
            occurrence. The answer shows how they were read. Quoted words, and all words with --plain, are part of the title. With
            --stdin each line is read in the same way. If a line is invalid, nothing is added. The todos are one step, which one
            todoctl undo reverts, even if Ctrl-C ended it early.

            Rules: every day, every weekday, every monday and friday, every 2 weeks, every month on the 15th, every last day of
            the month, every first monday, every 24 december, or 3 days after done, each optionally followed by a time of day.
            When the todo is done, its next occurrence is added in the same step. Without a date, the first one is due on the
            first such day from today on.

            Dates: today, tomorrow noon, friday, 3d, next week, eom, 1.12., 1 dec, "2026-12-01 14:30", "last friday of december".
            New todos are added at the top.
            """)

    @OptionGroup var options: Options

    @Argument(help: "The title.")
    var words: [String] = []

    @OptionGroup var fields: TodoFields

    @Flag(help: "Use all words as the title.")
    var plain = false

    @Flag(help: "Read todos from standard input, one per line; other options apply to each.")
    var stdin = false

    func validate() throws {
        if stdin, !words.isEmpty { throw ValidationError("--stdin reads the titles from standard input: omit the words.") }
        if !stdin, words.isEmpty { throw ValidationError("Missing title. For example: todoctl add Buy the milk") }
    }

    func run(_ session: Session) throws {
        guard !stdin else {
            return try Importer(session: session) { line, number throws(Failure) in
                let words = line.split(whereSeparator: \.isWhitespace).map(String.init)
                return try self.draft(words, line: (line, number), session)
            }.run()
        }
        let added = try self.draft(words, session)
        try session.change([TodoAction.add(added)]) { answer in
            answer.ids.map { "Added \($0): \(Visible.text(added.title ?? ""))\(Self.details(added, at: session.now))" }
        }
    }

    /// Combines the words and the options.
    ///
    /// - Parameter line: the unquoted line that contained the words, and its number.
    private func draft(
        _ words: [String], line: (text: String, number: Int)? = nil, _ session: Session
    ) throws(Failure) -> TodoDraft {
        let whole = QuickCapture(plain: words)
        let captured = try plain ? whole : session.captured(words, fields, line: line?.number)
        let isMore = captured != whole
        var draft = try fields.draft(isMore ? captured.title : line.map { [$0.text] } ?? words, session)
        let (tags, before) = (fields.tags, draft.after ?? [])
        let allTags = tags + captured.tags.filter { !tags.contains($0) }
        if !allTags.isEmpty { draft.tags = allTags }
        let after = before + captured.after.filter { !before.contains($0) }
        if !after.isEmpty { draft.after = after }
        if let due = captured.due { draft.due = due }
        if let recurrence = captured.recurrence { draft.every = recurrence.text }
        if let minute = captured.minute { draft.ruleMinute = minute }
        if let priority = captured.priority { draft.priority = priority.level }
        try draft.takeRuleMinute()
        draft.beginRecurring(at: session.now)
        if let reminder = try fields.reminder(session) {
            draft.remind = .some(try reminder.time(before: draft.due ?? nil, at: session.now))
            draft.remindBefore = reminder.microsecondsBefore
        }
        draft.dropNone()
        return draft
    }

    /// How words and options were read: ` (due Friday 27 November 2026, high, #work)`.
    private static func details(_ draft: TodoDraft, at now: Moment) -> String {
        var details = (draft.due ?? nil).map { ["\($0.isOver(at: now) ? "overdue" : "due") \($0.long)"] } ?? []
        if let wait = draft.wait ?? nil { details.append("waits until \(wait.long)") }
        if let every = draft.every, !every.isEmpty { details.append(every) }
        if let remind = draft.remind ?? nil { details.append("remind \(remind.long)") }
        if let level = draft.priority { details.append(Priority(level: level).name) }
        if let after = draft.after { details.append("after " + TodoSentences.ids(after)) }
        details += (draft.tags ?? []).map { "#" + Visible.text($0) }
        return details.isEmpty ? "" : " (\(details.joined(separator: ", ")))"
    }
}
