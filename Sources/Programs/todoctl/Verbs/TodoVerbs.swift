import ArgumentParser
import Reducing
import TodoAPI

struct Done: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Mark todos as done.",
        discussion: """
            EXAMPLES:
              todoctl done 3
              todoctl done 3 4 5
            """)

    @OptionGroup var options: Options

    @Argument(help: "The ids of the todos.")
    var ids: [Int64]

    func run() throws {
        try options.session { session in
            try session.change(ids.map(TodoAction.complete)) { _ in ids.map { "Done: \($0)." } }
        }
    }
}

struct Reopen: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Mark done todos as open again.",
        discussion: """
            EXAMPLES:
              todoctl reopen 3
            """)

    @OptionGroup var options: Options

    @Argument(help: "The ids of the todos.")
    var ids: [Int64]

    func run() throws {
        try options.session { session in
            try session.change(ids.map(TodoAction.reopen)) { _ in ids.map { "Open again: \($0)." } }
        }
    }
}

struct Remove: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Remove todos.",
        discussion: """
            EXAMPLES:
              todoctl remove 3
              todoctl remove 3 4 5
            """)

    @OptionGroup var options: Options

    @Argument(help: "The ids of the todos.")
    var ids: [Int64]

    func run() throws {
        try options.session { session in
            try session.change(ids.map(TodoAction.remove)) { _ in ids.map { "Removed \($0)." } }
        }
    }
}

struct Move: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Move a todo to another place in the list.",
        discussion: """
            EXAMPLES:
              todoctl move 3 --top
              todoctl move 3 --bottom
              todoctl move 3 --to 5
            """)

    @OptionGroup var options: Options

    @Argument(help: "The todo's id.")
    var id: Int64

    @Flag(help: "To the top.")
    var top = false

    @Flag(help: "To the bottom.")
    var bottom = false

    @Option(help: ArgumentHelp("To this place, counted from 1 at the top.", valueName: "place"))
    var to: Int?

    func validate() throws {
        guard [top, bottom, to != nil].count(where: { $0 }) == 1 else {
            throw ValidationError("Where to? Give one of --top, --bottom, --to PLACE.")
        }
        if let to, to < 1 { throw ValidationError("Places are counted from 1.") }
    }

    func run() throws {
        try options.session { session in
            var place = to.map { $0 - 1 } ?? 0
            if bottom {
                try session.pages(.init(scope: "todos.items", limit: 0)) { page throws(Failure) in
                    place = max(Int(clamping: page.count ?? 0) - 1, 0)
                    return .more
                }
            }
            try session.change([TodoAction.move(id, to: place)]) { answer in
                [answer.sequences.isEmpty ? "\(id) stood there already." : "Moved \(id)."]
            }
        }
    }
}

struct Clear: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Remove all todos that are done.",
        discussion: """
            EXAMPLES:
              todoctl clear
            """)

    @OptionGroup var options: Options

    func run() throws {
        try options.session { session in
            try session.change([TodoAction.clearCompleted()]) { answer in
                [answer.sequences.isEmpty ? "No todo was done." : "Removed all that were done."]
            }
        }
    }
}

struct Load: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Load todos from the source that the daemon is configured with.",
        discussion: """
            EXAMPLES:
              todoctl load
              todoctl watch todos

            Does not wait: the todos come to the top of the list when they are there. If they can't be loaded, an alert says why.
            """)

    @OptionGroup var options: Options

    func run() throws {
        try options.session { session in
            try session.change([FeatureAction.make("todos", "load")]) { _ in ["Loading. To see them come: todoctl watch todos"] }
        }
    }
}
