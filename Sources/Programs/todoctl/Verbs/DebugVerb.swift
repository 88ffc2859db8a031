import ArgumentParser
import Chronicle
import Dates
import TodoAPI

struct DebugVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "debug", abstract: "Show each action of a feature with its changes.",
        discussion: """
            EXAMPLES:
              todoctl debug on counter
              todoctl debug tail
              todoctl debug off counter
              todoctl debug --from yesterday

            The features: todos, counter, alerts, posts, stars, repositories, flows, views.
            """,
        subcommands: [DebugOn.self, DebugOff.self, DebugTail.self, DebugShow.self], defaultSubcommand: DebugShow.self)
}

/// A feature to turn on or off.
struct DebuggedFeature: ParsableArguments {
    @Argument(help: "The feature: todos, counter, stars, ...", completion: .features)
    var feature: String

    /// Turns debugging on or off, and shows the debugged features.
    func turn(on: Bool, _ options: Options) throws {
        try options.session { session in
            try session.show(DebugMethod.self, .init(feature: FeatureAction.scope(of: feature), on: on)) { answer in
                let features = answer.features.map(Visible.text).joined(separator: ", ")
                return [features.isEmpty ? "No feature is debugged." : "Debugged: \(features). Follow: todoctl debug tail"]
            }
        }
    }
}

struct DebugOn: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "on", abstract: "Report the actions of a feature to the daemon's log and to debug tail.",
        examples: "todoctl debug on counter")

    @OptionGroup var options: Options

    @OptionGroup var named: DebuggedFeature

    func run() throws { try named.turn(on: true, options) }
}

struct DebugOff: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "off", abstract: "Stop reporting the actions of a feature.", examples: "todoctl debug off counter")

    @OptionGroup var options: Options

    @OptionGroup var named: DebuggedFeature

    func run() throws { try named.turn(on: false, options) }
}

struct DebugTail: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tail", abstract: "Follow the actions of the features that are debugged.",
        discussion: """
            EXAMPLES:
              todoctl debug tail
              todoctl debug tail --json

            Ends with Ctrl-C. - marks old values, + new ones. A restart of the daemon turns debugging off; following continues
            when a feature is debugged again.
            """)

    @OptionGroup var options: Options

    func run() throws {
        try options.session(patience: Client.followingPatience) { session in
            // Used while the other connection streams.
            let asking = try session.client.another(patience: Client.followingPatience)
            let tellIfNone = { () throws(Failure) in
                // Not sent by an older daemon.
                guard try asking.call(StatusMethod.self, NoFields()).debugged?.isEmpty == true else { return }
                Output.complain("No feature is debugged now. To follow one: todoctl debug on FEATURE")
            }
            try tellIfNone()
            session.client.onReconnect = tellIfNone
            defer { session.client.onReconnect = nil }
            try session.client.follow(DebugTailMethod.self, { NoFields() }, isLive: true) { answer throws(Failure) in
                session.show(try answer.output())
                session.output.flush()
                return .more
            }
        }
    }
}

struct DebugShow: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show what debug tail would have shown for a range of the log.",
        discussion: """
            EXAMPLES:
              todoctl debug show --from 12 --to 34
              todoctl debug --from yesterday
              todoctl debug show counter --from -100

            Shows every action between two points, of one feature or all, whether debugging was on or not. - marks old values, +
            new ones.
            """)

    @OptionGroup var options: Options

    @Argument(help: "Only this feature: todos, counter, stars, ...")
    var feature: String?

    @Option(
        parsing: .unconditional, help: ArgumentHelp("First point; a day means its beginning.", valueName: "point"),
        completion: .moments)
    var from: String

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Last point; a day means its end (default: now).", valueName: "point"),
        completion: .moments)
    var to: String?

    func run(_ session: Session) throws {
        let first = try session.point(from, edge: .beginning)
        let last = try session.point(to, edge: .end)
        let input = LogMethod.Input(from: first, to: last, feature: feature.map(FeatureAction.scope), changes: true)
        try session.client.stream(LogMethod.self, input) { answer throws(Failure) in
            let page = try answer.output()
            for (record, detail) in zip(page.records, page.details ?? []) {
                // Some records, such as bookmarks, have no action.
                guard let action = record.action, case .record(let fields) = action, let name = fields.first?.name else {
                    continue
                }
                session.show(
                    DebugTailMethod.Output(
                        sequence: record.sequence, time: record.time, feature: name, action: action,
                        lines: DebugLines.lines(of: detail.changes), origin: record.origin
                    ).fitting())
            }
            return .more
        }
    }
}

extension Session {
    /// Shows an action of a feature with what it changed, or writes it as JSON.
    func show(_ entry: DebugTailMethod.Output) {
        if isJSON { return output.json(entry) }
        let what = RecordLines.what(entry.action)
        let rest = entry.cut == true ? " (too long to be shown)" : ""
        output.line("\(entry.sequence)  \(moment(entry.time).text)  " + paint(what, .bold) + rest)
        for line in entry.lines { output.line("  " + paint(Visible.text(line), line.hasPrefix("-") ? .red : .green)) }
        if let count = entry.linesLeftOut { output.line("  and \(Digits.counted(count, "more line"))") }
        if entry.lines.isEmpty, entry.linesLeftOut == nil { output.line("  changes nothing") }
    }
}
