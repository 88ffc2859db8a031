import ArgumentParser
import TodoAPI

struct Log: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "Show the log: every action, when, by whom.",
        discussion: """
            EXAMPLES:
              todoctl log
              todoctl log --limit 20 --diff
              todoctl log --from yesterday --feature todos --search milk
              todoctl log --reverse --limit 5 --action todos.remove
              todoctl log --where 'new.counter.count < old.counter.count'
              todoctl log --path 'todos.items[12].title' --diff
              todoctl log --origin 1000 --from yesterday
              todoctl log --follow
              todoctl log --follow --json --where 'record.uid == 1000'
              todoctl log --raw

            Oldest first, in sentences, step by step, with what commands brought below what asked for them and what was undone
            marked; on a terminal struck through, and by $PAGER or less. With --raw and with --follow each record is a line with
            sequence, time, uid and action; typing that follows itself is one line, with --follow once it rests for a second.
            With --json each of the daemon's replies is a line, as org.todod.History.Log gives them. With --follow that is one
            for each record; where no more than --feature is wanted, they are those of org.todod.Store.Subscribe.
            """)

    @OptionGroup var options: Options

    @Option(
        parsing: .unconditional, help: ArgumentHelp("The first moment; a day is meant from its beginning.", valueName: "point"),
        completion: .moments)
    var from: String?

    @Option(
        parsing: .unconditional, help: ArgumentHelp("The last moment; a day is meant to its end.", valueName: "point"),
        completion: .moments)
    var to: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Only the last so many; with --from, unless --reverse is given, the first so many; with --follow the last so many before it goes on.",
            valueName: "count"),
        transform: Numeral.whole(from: 0))
    var limit: UInt64?

    @Option(help: ArgumentHelp("Only actions of this feature.", valueName: "feature"), completion: .features)
    var feature: String?

    @Option(help: ArgumentHelp("Only actions of this name: add, todos.add.", valueName: "name"), completion: .actions)
    var action: String?

    @Option(
        parsing: .unconditional, help: ArgumentHelp("Only what this uid asked for.", valueName: "uid"),
        transform: Numeral.whole(from: 0))
    var origin: UInt32?

    @Option(help: ArgumentHelp("Only actions with this text in one of their texts.", valueName: "text"))
    var search: String?

    @Option(
        name: .customLong("where"),
        help: ArgumentHelp("Only records for which this condition holds, on old., new. and record.", valueName: "expression"))
    var condition: String?

    @Option(
        help: ArgumentHelp(
            "Only records that changed what stands at this place; with --diff only what they changed there.", valueName: "path"))
    var path: String?

    @Flag(help: "Also what each action changed.")
    var diff = false

    @Flag(help: "Newest first.")
    var reverse = false

    @Flag(help: "Each record of a run of typing by itself.")
    var ungrouped = false

    @Flag(
        help:
            "Go on with new records as they come, also when the daemon restarts; begins with the last 10, or with the last of --limit."
    )
    var follow = false

    @Flag(help: "A line for each record, as it is kept.")
    var raw = false

    /// Whether what is wanted is more than the records of a feature: then they are asked for as without `--follow`.
    var isPicky: Bool { action != nil || origin != nil || search != nil || condition != nil || path != nil || diff }

    func validate() throws {
        if follow, reverse || to != nil { throw ValidationError("--follow goes on for ever, so it excludes --to and --reverse.") }
        if follow, from != nil, limit != nil {
            throw ValidationError("--follow begins with the last of --limit or goes on from --from; not both.")
        }
        guard (search?.utf8.count ?? 0) <= LogMethod.searchBytesMax else {
            throw ValidationError("--search takes a text of at most \(LogMethod.searchBytesMax) bytes.")
        }
    }

    func run() throws {
        try options.session(patience: follow ? Client.followingPatience : Client.patience) { session in
            if follow { return try LogFollower(session: session, verb: self).run() }
            let first = try session.point(from, edge: .beginning)
            let last = try session.point(to, edge: .end)
            // The last so many, oldest first, are the first so many of the reverse order.
            let isTurned = limit != nil && from == nil && !reverse
            let input = LogMethod.Input(
                from: first, to: last, limit: limit, feature: feature.map(FeatureAction.scope), action: action, origin: origin,
                search: search,
                reverse: reverse || isTurned ? true : nil, changes: diff ? true : nil, runs: ungrouped ? nil : true,
                where: condition, path: path)
            let isFromStart = (first == nil || first == .start) && (limit == nil || !reverse && !isTurned)
            let cutAway = isFromStart && !session.isJSON ? try session.cutAway() : nil
            let isTold = !session.isJSON && !raw
            if let cutAway, !isTold || !session.isTerminal { Output.complain(cutAway) }
            if isTold {
                return try LogTeller(session, self, cutAway: session.isTerminal ? cutAway : nil).run(input, isTurned: isTurned)
            }
            let table = RecordLines(zone: session.zone, paint: session.paint)
            var kept: [(record: RecordMessage, detail: LogDetailMessage?)] = []
            var progress = Progress()
            defer { progress.clear() }
            try session.client.stream(LogMethod.self, input) { answer throws(Failure) in
                let page = try answer.output()
                if let reached = page.reached {
                    progress.show(record: reached)
                    return .more
                }
                progress.clear()
                if isTurned {
                    kept += page.entries
                } else {
                    try session.show(answer) { page in
                        page.entries.flatMap { table.lines($0.record, $0.detail, showsChanges: diff) }
                    }
                }
                // What a long search has found is shown while it goes on.
                session.output.flush()
                return .more
            }
            guard isTurned else { return }
            kept.reverse()
            if session.isJSON {
                let details = diff || !ungrouped ? kept.compactMap(\.detail) : nil
                return session.output.json(LogMethod.Output(records: kept.map(\.record), details: details))
            }
            for (record, detail) in kept { session.show(table.lines(record, detail, showsChanges: diff)) }
        }
    }
}

extension LogMethod.Output {
    /// The records, each with what it stands for and what it changed, if that was asked for.
    var entries: [(record: RecordMessage, detail: LogDetailMessage?)] {
        records.enumerated().map { index, record in (record, details.flatMap { $0.indices.contains(index) ? $0[index] : nil }) }
    }
}
