import ArgumentParser
import Chronicle
import TodoAPI
import Varlink

struct Dispatch: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "dispatch",
        abstract: "Dispatch an action in JSON, or an array of actions as one batch.",
        discussion: """
            EXAMPLES:
              todoctl dispatch '{"todos": {"add": {"items": [{"title": "Buy the milk"}]}}}'
              todoctl dispatch '{"counter": {"increment": {}}}' --dry-run
              todoctl dispatch - < actions.json
              todoctl dispatch '{"counter": {"reset": {}}}' --expect 12 --scope counter
              todoctl dispatch '{"counter": {"reset": {}}}' --require 'counter.count < 9'
              todoctl dispatch '{"counter": {"increment": {}}}' --step 57
            """)

    @OptionGroup var options: Options

    @Argument(help: "An action, an array of actions, or - for standard input.", completion: .examples)
    var json: String

    @Flag(name: [.customShort("n"), .long], help: "Show the result without dispatching.")
    var dryRun = false

    @Option(
        parsing: .unconditional, help: ArgumentHelp("Refuse if the log, or the scope, has changed since.", valueName: "sequence"),
        transform: Numeral.whole(from: 0))
    var expect: UInt64?

    @Option(help: "Scope of --expect: todos, todos.items (default: everything).")
    var scope: String?

    @Option(help: ArgumentHelp("Refuse if the resulting state does not meet this condition.", valueName: "expression"))
    var require: String?

    @Option(
        parsing: .unconditional, help: ArgumentHelp("Continue an earlier step of yours.", valueName: "step"),
        transform: Numeral.whole(from: 1))
    var step: UInt64?

    @Option(help: "Idempotency key (default: a new one).")
    var key: String?

    func run(_ session: Session) throws {
        let actions = try Dispatch.actions(json == "-" ? Lines.all() : Array(json.utf8))
        let input = DispatchMethod.Input(
            actions: actions, key: key, step: step, expectedSequence: expect, scope: scope, dryRun: dryRun ? true : nil,
            require: require)
        try session.change(input) { answer in
            var lines: [String] = []
            let numbers = answer.sequences.map(String.init).joined(separator: " ")
            let known = answer.duplicate ? " This key was known." : ""
            if !dryRun { lines.append((numbers.isEmpty ? "Nothing to log." : "Logged \(numbers).") + known) }
            if !answer.ids.isEmpty { lines.append("Ids: " + answer.ids.map(String.init).joined(separator: " ")) }
            lines += (answer.changes ?? []).map { ChangeLines.line($0, paint: session.paint) }
            lines += (answer.commands ?? []).map { "would run \(Visible.text($0.name))" }
            return lines
        }
    }

    static func actions(_ bytes: [UInt8]) throws(Failure) -> [Value] {
        let value: Value
        do { value = try Value(parsing: bytes) } catch {
            throw Failure(.usage, "This is not valid JSON: \(error.description). For examples: todoctl dispatch --help")
        }
        let actions = value.list ?? [value]
        if !actions.allSatisfy({ $0.record != nil }) {
            throw Failure(.usage, "An action is an object, for example {\"counter\": {\"increment\": {}}}.")
        }
        return actions
    }
}

struct OpenVerb: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "open", abstract: "Open a link into the app.",
        examples: "todoctl open todod:/", "todoctl open todod:/repos", "todoctl open todod:/repos/C%2B%2B",
        "todoctl open todod:/posts", "todoctl open todod:/flows/language")

    @OptionGroup var options: Options

    @Argument(help: "The link.")
    var link: String

    func run(_ session: Session) throws {
        try session.tell(session.client.ask(OpenMethod.self, .init(link: link, key: DispatchKey.make()))) { answer in
            [sentence(asks: !answer.ids.isEmpty)]
        }
    }

    private func sentence(asks isQuestion: Bool) -> String {
        let place = link.split(separator: ":").dropFirst().first?.split(separator: "/").first
        switch place {
        case _ where isQuestion: return "Opened. It waits for an answer: todoctl flow list"
        case "repos": return "Opened. To see them: todoctl repos"
        case "posts": return "Opened. To read them: todoctl posts"
        case "flows": return "Opened. It waits for an answer: todoctl flow list"
        default: return "Opened."
        }
    }
}
