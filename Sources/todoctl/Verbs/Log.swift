import ArgumentParser
import TodoAPI
import Varlink

struct Log: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the log: every action, when, by whom.",
        discussion: """
            EXAMPLES:
              todoctl log
              todoctl log --limit 20
              todoctl log --follow
              todoctl log --json --follow --limit 5

            Oldest first. A line holds sequence, time, uid and action. With --json each of the daemon's replies is a line: those of
            org.todod.History.Log, or with --follow those of org.todod.Store.Subscribe.
            """)

    @OptionGroup var options: Options

    @Flag(help: "Go on with new records as they come; begins with the last 10, or with the last of --limit.")
    var follow = false

    @Option(help: ArgumentHelp("Only the last so many.", valueName: "count"))
    var limit: UInt64?

    func run() throws {
        try options.session { session in
            let table = RecordLines(zone: session.zone)
            let limit = limit ?? (follow ? 10 : nil)
            var first: Point?
            if let limit {
                let last = try session.client.call(PingMethod.self, NoFields()).sequence
                if limit > 0 { first = Point(sequence: last >= limit ? last - limit + 1 : 1) } else if !follow { return }
            }
            let frame =
                follow
                ? Frame.call(SubscribeMethod.self, .init(from: first, kind: "records"), more: true)
                : Frame.call(LogMethod.self, .init(from: first), more: true)
            do throws(Failure) {
                try session.client.stream(frame) { members throws(Failure) in
                    if session.isJSON {
                        session.output.json(members)
                    } else {
                        for record in members["records"]?.array ?? [] { session.output.line(table.line(record)) }
                    }
                    if follow { session.output.flush() }
                    return .more
                }
            } catch {
                // An empty log has no first record; that is no failure of a list.
                guard error.error?.hasSuffix(".FutureSequence") == true, !follow else { throw error }
            }
        }
    }
}
