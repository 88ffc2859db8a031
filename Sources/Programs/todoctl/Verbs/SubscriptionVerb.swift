import ArgumentParser
import Dates
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
    private static func wanted(
        _ feature: String?, _ actions: [String]?, _ origin: UInt32?, where condition: String?
    ) -> String? {
        var words: [String] = []
        if let feature { words.append("feature \(Visible.text(feature))") }
        if let actions { words.append("actions \(actions.map(Visible.text).joined(separator: ", "))") }
        if let origin { words.append("uid \(origin)") }
        if let condition { words.append("where \(Visible.text(condition))") }
        return words.isEmpty ? nil : words.joined(separator: ", ")
    }

    struct Add: SessionCommand {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Make a subscription, or change what one wants.",
            discussion: """
                EXAMPLES:
                  todoctl subscription add mail --action todos.complete
                  todoctl subscription add archive --from start
                  todoctl subscription add up --where 'new.counter.count > old.counter.count'
                  todoctl follow mail

                A new one begins with the next record, unless --from says another; one that is there goes on where it was.
                Which records it wants is said anew each time: without --feature, --action, --origin and --where all of
                them. A condition may ask for what log --where may ask for, and has at most 512 bytes.
                """)

        @Argument(help: "The name: a letter, then letters, digits, '-', '_' and '.'.", completion: .subscriptions)
        var name: String

        @Option(
            parsing: .unconditional,
            help: ArgumentHelp("Begin with this record, also if it is there already.", valueName: "point"), completion: .moments)
        var from: String?

        @Option(help: ArgumentHelp("Only actions of this feature.", valueName: "feature"), completion: .features)
        var feature: String?

        @Option(
            help: ArgumentHelp(
                "Only actions of this name: add, todos.add. For several it is said several times.", valueName: "name"),
            completion: .actions)
        var action: [String] = []

        @Option(
            parsing: .unconditional, help: ArgumentHelp("Only what this uid asked for.", valueName: "uid"),
            transform: Numeral.whole(from: 0))
        var origin: UInt32?

        @Option(
            name: .customLong("where"),
            help: ArgumentHelp("Only records for which this condition holds, on old., new. and record.", valueName: "expression"))
        var condition: String?

        @OptionGroup var options: Options

        func validate() throws {
            let bytesMax = SetSubscriptionMethod.whereBytesMax
            guard (condition?.utf8.count ?? 0) <= bytesMax else {
                throw ValidationError("The condition of --where has at most \(bytesMax) bytes.")
            }
        }

        func run(_ session: Session) throws {
            let from = try session.point(from, edge: .beginning)
            let feature = feature.map(FeatureAction.scope)
            let input = SetSubscriptionMethod.Input(
                name: name, from: from, feature: feature, actions: action.isEmpty ? nil : action, origin: origin,
                where: condition)
            let wanted = SubscriptionVerb.wanted(feature, input.actions, origin, where: condition) ?? "all records"
            try session.show(SetSubscriptionMethod.self, input) { answer in
                [
                    "\(Visible.text(name)) wants \(wanted), and goes on behind record \(answer.position).",
                    "To follow it: todoctl follow \(Visible.text(name))",
                ]
            }
        }
    }

    struct List: SessionCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the subscriptions, and how far behind they are.",
            examples: "todoctl subscription", "todoctl subscription list --json")

        @OptionGroup var options: Options

        func run(_ session: Session) throws {
            try session.client.stream(SubscriptionsMethod.self, NoFields()) { answer throws(Failure) in
                try session.show(answer) { reply in
                    reply.subscriptions.map { one in
                        if one.damaged == true { return "\(Visible.text(one.name))  \(SubscriptionLines.damaged)" }
                        let lag = SubscriptionLines.lag(one.lag, since: one.since, gone: one.gone, pid: one.pid, session)
                        return "\(Visible.text(one.name))  at \(one.position), \(lag); of uid \(one.uid)"
                            + (SubscriptionVerb.wanted(one.feature, one.actions, one.origin, where: one.where).map {
                                "; wants " + $0
                            } ?? "")
                            + (one.unknown.map { "; not known here: " + $0.map(Visible.text).joined(separator: ", ") } ?? "")
                    }
                }
                return .more
            }
        }
    }

    struct Skip: SessionCommand {
        static let configuration = CommandConfiguration(
            commandName: "skip", abstract: "Acknowledge everything up to a record, without doing it.",
            examples: "todoctl subscription skip mail 1234", "todoctl subscription skip mail @-0")

        @Argument(help: "The name.", completion: .subscriptions)
        var name: String

        @Argument(help: "The last record to pass over: its sequence, or @-3 for the third before the last.")
        var record: String

        @OptionGroup var options: Options

        func run(_ session: Session) throws {
            let sequence = try session.record(record)
            try session.show(AcknowledgeMethod.self, .init(name: name, sequence: sequence)) { answer in
                ["\(Visible.text(name)) goes on behind record \(answer.position)."]
            }
        }
    }

    struct Remove: SessionCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Take a subscription away.", examples: "todoctl subscription remove mail")

        @Argument(help: "The name.", completion: .subscriptions)
        var name: String

        @OptionGroup var options: Options

        func run(_ session: Session) throws {
            try session.show(RemoveSubscriptionMethod.self, .init(name: name)) { _ in
                ["Removed the subscription \(Visible.text(name))."]
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
