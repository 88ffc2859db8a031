import ArgumentParser
import Reducing
import TodoAPI
import Varlink

struct DebugShow: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show what debug tail would have told of a stretch of the past.",
        discussion: """
            EXAMPLES:
              todoctl debug show --from 12 --to 34
              todoctl debug --from yesterday
              todoctl debug show counter --from -100

            Every action from one moment to another, of a feature or of all of them, whether it was debugged or not. - is what was,
            + is what is.
            """)

    @OptionGroup var options: Options

    @Argument(help: "Only this feature: todos, counter, stars, ...")
    var feature: String?

    @Option(
        parsing: .unconditional, help: ArgumentHelp("The first moment; a day is meant from its beginning.", valueName: "point"))
    var from: String

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The last moment; a day is meant to its end. Now, if left out.", valueName: "point"))
    var to: String?

    func run() throws {
        try options.session { session in
            let first = try session.point(from, edge: .beginning)
            let last = try to.map { text throws(Failure) in try session.point(text, edge: .end) }
            let input = LogMethod.Input(from: first, to: last, feature: feature.map(FeatureAction.scope), changes: true)
            try session.client.stream(Frame.call(LogMethod.self, input, more: true)) { members throws(Failure) in
                let page: LogMethod.Output = try session.client.read(members)
                for (record, detail) in zip(page.records, page.details ?? []) {
                    // Of a bookmark, say, there is nothing to debug.
                    guard let action = record.action, case .record(let fields) = action, let name = fields.first?.name else {
                        continue
                    }
                    session.show(
                        DebugTailMethod.Output(
                            sequence: record.sequence, time: record.time, feature: name, action: action,
                            lines: DebugLines.lines(of: detail.changes)
                        ).fitting())
                }
                return .more
            }
        }
    }
}
