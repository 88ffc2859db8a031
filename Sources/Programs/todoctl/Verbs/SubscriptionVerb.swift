import ArgumentParser
import TodoAPI

struct SubscriptionVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "subscription", abstract: "Subscriptions that the daemon keeps, with what was acknowledged.",
        discussion: """
            EXAMPLES:
              todoctl subscription
              todoctl subscription add mail --action todos.complete
              todoctl subscription skip mail 1234
              todoctl subscription remove mail

            To see or work off what comes: todoctl follow NAME.
            """,
        subcommands: [Add.self, List.self, Skip.self, Remove.self], defaultSubcommand: List.self)

    /// Which records a subscription wants, in words; `nil`: all.
    private static func wanted(_ feature: String?, _ actions: [String]?, _ origin: UInt32?) -> String? {
        var words: [String] = []
        if let feature { words.append("feature \(Visible.text(feature))") }
        if let actions { words.append("actions \(actions.map(Visible.text).joined(separator: ", "))") }
        if let origin { words.append("uid \(origin)") }
        return words.isEmpty ? nil : words.joined(separator: ", ")
    }

    struct Add: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a subscription, or change what one wants.",
            discussion: """
                EXAMPLES:
                  todoctl subscription add mail --action todos.complete
                  todoctl subscription add archive --from start
                  todoctl follow mail

                A new one begins with the next record, unless --from says another; one that is there goes on where it was.
                Which records it wants is said anew each time: without --feature, --action and --origin all of them.
                """)

        @Argument(help: "The name: a letter, then letters, digits, '-', '_' and '.'.")
        var name: String

        @Option(
            parsing: .unconditional,
            help: ArgumentHelp("Begin with this record, also if it is there already.", valueName: "point"))
        var from: String?

        @Option(help: ArgumentHelp("Only actions of this feature.", valueName: "feature"))
        var feature: String?

        @Option(
            help: ArgumentHelp(
                "Only actions of this name: add, todos.add. For several it is said several times.", valueName: "name"))
        var action: [String] = []

        @Option(help: ArgumentHelp("Only what this uid asked for.", valueName: "uid"))
        var origin: UInt32?

        @OptionGroup var options: Options

        func run() throws {
            try options.session { session in
                let from = try session.point(from, edge: .beginning)
                let input = SetSubscriptionMethod.Input(
                    name: name, from: from, feature: feature, actions: action.isEmpty ? nil : action, origin: origin)
                let wanted = SubscriptionVerb.wanted(feature, input.actions, origin) ?? "all records"
                try session.show(SetSubscriptionMethod.self, input) { answer in
                    [
                        "\(Visible.text(name)) wants \(wanted), and goes on behind record \(answer.position).",
                        "To follow it: todoctl follow \(Visible.text(name))",
                    ]
                }
            }
        }
    }

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the subscriptions, and how far behind they are.",
            discussion: """
                EXAMPLES:
                  todoctl subscription
                  todoctl subscription list --json
                """)

        @OptionGroup var options: Options

        func run() throws {
            try options.session { session in
                try session.client.stream(SubscriptionsMethod.self, NoFields()) { answer throws(Failure) in
                    try session.show(answer) { reply in
                        reply.subscriptions.map { one in
                            if one.damaged == true { return "\(Visible.text(one.name))  \(SubscriptionLines.damaged)" }
                            let lag = SubscriptionLines.lag(one.lag, since: one.since, gone: one.gone, pid: one.pid, session)
                            return "\(Visible.text(one.name))  at \(one.position), \(lag); of uid \(one.uid)"
                                + (SubscriptionVerb.wanted(one.feature, one.actions, one.origin).map { "; wants " + $0 } ?? "")
                        }
                    }
                    return .more
                }
            }
        }
    }

    struct Skip: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Acknowledge everything up to a record, without doing it.",
            discussion: """
                EXAMPLES:
                  todoctl subscription skip mail 1234
                  todoctl subscription skip mail @-0
                """)

        @Argument(help: "The name.")
        var name: String

        @Argument(help: "The last record to pass over: its sequence, or @-3 for the third before the last.")
        var record: String

        @OptionGroup var options: Options

        func run() throws {
            try options.session { session in
                let sequence = try session.record(record)
                try session.show(AcknowledgeMethod.self, .init(name: name, sequence: sequence)) { answer in
                    ["\(Visible.text(name)) goes on behind record \(answer.position)."]
                }
            }
        }
    }

    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Take a subscription away.",
            discussion: """
                EXAMPLES:
                  todoctl subscription remove mail
                """)

        @Argument(help: "The name.")
        var name: String

        @OptionGroup var options: Options

        func run() throws {
            try options.session { session in
                try session.show(RemoveSubscriptionMethod.self, .init(name: name)) { _ in ["\(Visible.text(name)) is removed."] }
            }
        }
    }
}

/// How far behind a subscription is, for a person.
enum SubscriptionLines {
    /// What is told of one of which nothing but the name is known.
    static let damaged = "damaged: nothing but its name is known; todoctl explain DamagedSubscription"

    static func lag(_ lag: UInt64, since: Int64?, gone: UInt64?, pid: Int64?, _ session: Session) -> String {
        var text = lag == 0 ? "nothing to do" : "\(Digits.counted(lag, "record")) behind"
        if let since { text += " since \(session.moment(since).text)" }
        if let gone { text += ", \(Digits.grouped(gone)) of them compacted away" }
        return text + (pid.map { ", followed by process \($0)" } ?? "")
    }
}
