import ArgumentParser
import TodoAPI

struct Log: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "Show the log.",
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

            Shows sentences, oldest first, grouped by step, with undone steps marked; a terminal uses $PAGER or less. With --raw
            and --follow, each record is a line with sequence, time, uid and action; consecutive edits of the draft are one line,
            shown by --follow after a pause of one second. With --json, each reply of org.todod.History.Log is a line; with
            --follow, one per record, or replies of org.todod.Store.Subscribe if no filter other than --feature is given.
            """)

    @OptionGroup var options: Options

    @Option(
        parsing: .unconditional, help: ArgumentHelp("First point; a day means its beginning.", valueName: "point"),
        completion: .moments)
    var from: String?

    @Option(
        parsing: .unconditional, help: ArgumentHelp("Last point; a day means its end.", valueName: "point"),
        completion: .moments)
    var to: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Maximum number of records: the last ones, or with --from and without --reverse the first ones.",
            valueName: "count"),
        transform: Numeral.whole(from: 0))
    var limit: UInt64?

    @Option(help: ArgumentHelp("Only actions of this feature.", valueName: "feature"), completion: .features)
    var feature: String?

    @Option(help: ArgumentHelp("Only actions of this name: add, todos.add.", valueName: "name"), completion: .actions)
    var action: String?

    @Option(
        parsing: .unconditional, help: ArgumentHelp("Only records of this uid.", valueName: "uid"),
        transform: Numeral.whole(from: 0))
    var origin: UInt32?

    @Option(help: ArgumentHelp("Only actions with this text in one of their texts.", valueName: "text"))
    var search: String?

    @Option(
        name: .customLong("where"),
        help: ArgumentHelp("Only records that meet this condition on old., new. and record.", valueName: "expression"))
    var condition: String?

    @Option(
        help: ArgumentHelp(
            "Only records that changed this place; --diff shows only these changes.", valueName: "path"))
    var path: String?

    @Flag(help: "Show the changes of each record.")
    var diff = false

    @Flag(help: "Newest first.")
    var reverse = false

    @Flag(help: "Show each edit of the draft.")
    var ungrouped = false

    @Flag(
        help:
            "Show new records as they arrive, after the last 10 or --limit records."
    )
    var follow = false

    @Flag(help: "Show each record as a line.")
    var raw = false

    /// Whether a filter other than `--feature` is given, so that records are read with `Log` even with `--follow`.
    var isPicky: Bool { action != nil || origin != nil || search != nil || condition != nil || path != nil || diff }

    func validate() throws {
        if follow, reverse || to != nil { throw ValidationError("--follow has no end, so it excludes --to and --reverse.") }
        if follow, from != nil, limit != nil {
            throw ValidationError("--follow begins with --limit records or at --from, not both.")
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
            // The last records, oldest first, are the first ones of the reverse order.
            let isReversed = limit != nil && from == nil && !reverse
            let input = LogMethod.Input(
                from: first, to: last, limit: limit, feature: feature.map(FeatureAction.scope), action: action, origin: origin,
                search: search,
                reverse: reverse || isReversed ? true : nil, changes: diff ? true : nil, runs: ungrouped ? nil : true,
                where: condition, path: path)
            let isFromStart = (first == nil || first == .start) && (limit == nil || !reverse && !isReversed)
            let compactionNotice = isFromStart && !session.isJSON ? try session.compactionNotice() : nil
            let isSentences = !session.isJSON && !raw
            if let compactionNotice, !isSentences || !session.isTerminal { Output.complain(compactionNotice) }
            if isSentences {
                return try LogPrinter(session, self, compactionNotice: session.isTerminal ? compactionNotice : nil).run(
                    input, isReversed: isReversed)
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
                if isReversed {
                    kept += page.entries
                } else {
                    try session.show(answer) { page in
                        page.entries.flatMap { table.lines($0.record, $0.detail, showsChanges: diff) }
                    }
                }
                // Shows the results of a long search as they are found.
                session.output.flush()
                return .more
            }
            guard isReversed else { return }
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
    /// The records with their details, if these were requested.
    var entries: [(record: RecordMessage, detail: LogDetailMessage?)] {
        records.enumerated().map { index, record in (record, details.flatMap { $0.indices.contains(index) ? $0[index] : nil }) }
    }
}
