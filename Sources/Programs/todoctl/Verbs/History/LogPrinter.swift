import Glibc
import Terminal
import TodoAPI

/// Prints the log as sentences, on a terminal through the user's pager.
final class LogPrinter {
    private let session: Session
    private let verb: Log
    // The notice about a compacted beginning; `nil` if the log is complete or not shown from its beginning.
    private let compactionNotice: String?
    private let table: RecordLines
    private var sentences: LogSentences
    private var entries: [(record: RecordMessage, detail: LogDetailMessage?)] = []
    private var pager: Pager?
    private var hasBegun = false

    // Records are grouped into steps in chunks of this size: results of commands usually follow soon, and a pipe gets output early.
    private static let chunkRecordsMax = (terminal: 4_096, pipe: 512)

    init(_ session: Session, _ verb: Log, compactionNotice: String?) {
        self.session = session
        self.verb = verb
        self.compactionNotice = compactionNotice
        table = RecordLines(zone: session.zone, paint: session.paint)
        sentences = LogSentences(zone: session.zone, paint: session.paint, uid: getuid())
    }

    /// Prints the results of a query.
    ///
    /// - Parameter isReversed: whether the query returns the opposite order.
    func run(_ query: LogMethod.Input, isReversed: Bool) throws(Failure) {
        do throws(Failure) { try printAll(query, isReversed: isReversed) } catch {
            _ = end()
            throw error
        }
        if let mistake = end() { throw Failure(.configuration, mistake) }
    }

    private func printAll(_ query: LogMethod.Input, isReversed: Bool) throws(Failure) {
        var query = query
        // Only the changes contain the titles of removed todos.
        query.changes = true
        var progress = Progress()
        defer { progress.clear() }
        try session.client.stream(LogMethod.self, query) { answer throws(Failure) in
            let page = try answer.output()
            entries += page.entries
            if !hasBegun, let reached = page.reached ?? page.records.last?.sequence { progress.show(record: reached) }
            guard entries.count >= chunkRecordsMax, !isReversed else { return .more }
            progress.clear()
            try printEntries()
            return .more
        }
        progress.clear()
        if isReversed { entries.reverse() }
        try printEntries()
        if let compactionNotice, verb.reverse || !hasBegun { session.show([compactionNotice]) }
    }

    private var chunkRecordsMax: Int {
        session.isTerminal ? Self.chunkRecordsMax.terminal : Self.chunkRecordsMax.pipe
    }

    private func printEntries() throws(Failure) {
        guard !entries.isEmpty else { return }
        let isFirst = !hasBegun
        if isFirst { try begin() }
        let titles = titles
        let printed = entries.map { entry in
            let below = verb.diff ? Array(table.lines(entry.record, entry.detail, showsChanges: true).dropFirst()) : []
            return LogSentences.Entry(entry.record, entry.detail, below: below, titles: titles)
        }
        var lines = sentences.lines(printed)
        if let compactionNotice, isFirst, !verb.reverse { lines.insert(compactionNotice, at: 0) }
        if isFirst, session.isTerminal { openPager(lineCount: lines.count) }
        session.show(lines)
        entries = []
        session.output.flush()
    }

    /// Titles of todos that the records do not contain; without them, ids are shown.
    private var titles: [Int64: String] {
        let records = entries.map(\.record)
        // Changes limited to a path do not contain the title.
        let ids = verb.path == nil ? RecordSentence.moved(by: records) : RecordSentence.named(by: records)
        // The other connection may be streaming the log.
        return ids.isEmpty ? [:] : (try? session.client.another().titles(of: ids)) ?? [:]
    }

    private func begin() throws(Failure) {
        hasBegun = true
        sentences.undone = try session.undoneSteps(since: verb.reverse ? 0 : entries.map(\.record.step).min() ?? 0)
    }

    /// - Parameter lineCount: the number of lines known so far.
    private func openPager(lineCount: Int) {
        // The newest records are at the end. Output that fits the screen needs no pager: less would add empty lines.
        pager = Pager(at: verb.reverse || lineCount < Size.ofTerminal.rows ? .beginning : .end)
        // The pager owns the screen.
        if pager != nil { session.client.whileWaiting = { _ in } }
    }

    /// The error of the pager, if it could not run.
    private func end() -> String? {
        session.output.flush()
        session.client.whileWaiting = nil
        defer { pager = nil }
        return pager?.end()
    }
}

extension Session {
    /// The steps from a record on that are undone now.
    func undoneSteps(since first: UInt64) throws(Failure) -> Set<UInt64> {
        var undone: Set<UInt64> = []
        var progress = Progress()
        defer { progress.clear() }
        // The other connection may be streaming the log.
        let asking = try client.another()
        try asking.stream(StepsMethod.self, .init(any: true)) { answer throws(Failure) in
            let page = try answer.output()
            for step in page.steps where step.stage == "undone" { undone.insert(step.step) }
            guard let reached = page.reached ?? page.steps.last?.step else { return .more }
            progress.show(record: reached)
            return reached <= first ? .enough : .more
        }
        return undone
    }
}
