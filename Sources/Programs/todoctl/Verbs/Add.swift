import Dates
import ArgumentParser
import TodoAPI

struct Add: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Add a todo; the words need no quotes.",
        discussion: """
            EXAMPLES:
              todoctl add Buy the milk
              todoctl add Call the bank --due friday --tag phone --priority high
              todoctl add Pay the rent --due "tomorrow 9:00" --note "the new account"
              todoctl add --stdin < titles.txt

            A date is written as people write it: today, tomorrow noon, friday, 3d, next week, eom, 1.12., 1 dec, "2026-12-01 14:30",
            "last friday of december". It is a day of your calendar, and shown back. New todos stand on top.
            """)

    @OptionGroup var options: Options

    @Argument(help: "The title.")
    var words: [String] = []

    @OptionGroup var fields: TodoFields

    @Flag(help: "Read titles from standard input, one a line; the other options are for each of them.")
    var stdin = false

    func validate() throws {
        if stdin, !words.isEmpty { throw ValidationError("With --stdin the titles come from standard input, not from words.") }
        if !stdin, words.isEmpty { throw ValidationError("What is to be done? For example: todoctl add Buy the milk") }
    }

    func run() throws {
        try options.session { session in
            var draft = try fields.draft(words, session)
            if !fields.tag.isEmpty { draft.tags = fields.tag }
            guard !stdin else {
                return try Importer(session: session, draft: draft).run()
            }
            try session.change([TodoAction.add(draft)]) { answer in
                let suffix = (draft.due ?? nil).map { " (due \($0.spelled))" } ?? ""
                return answer.ids.map { "Added \($0): \(Visible.text(draft.title ?? ""))\(suffix)" }
            }
        }
    }
}
