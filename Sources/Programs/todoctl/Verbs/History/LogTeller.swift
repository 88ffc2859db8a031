import Glibc
import Terminal
import TodoAPI

/// Tells the log in sentences; at a terminal through the user's pager.
final class LogTeller {
    private let session: Session
    private let verb: Log
    // What is said where the log begins; `nil` where it has all, or is not told from there.
    private let cutAway: String?
    private let table: RecordLines
    private var sentences: LogSentences
    private var entries: [(record: RecordMessage, detail: LogDetailMessage?)] = []
    private var pager: Pager?
    private var hasBegun = false

    // So many records are put together to steps at a time; what a command brings comes mostly soon, and who reads a pipe does not wait long.
    private static let pieceRecordsMax = (terminal: 4_096, pipe: 512)

    init(_ session: Session, _ verb: Log, cutAway: String?) {
        self.session = session
        self.verb = verb
        self.cutAway = cutAway
        table = RecordLines(zone: session.zone, paint: session.paint)
        sentences = LogSentences(zone: session.zone, paint: session.paint, uid: getuid())
    }

    /// Tells what a query finds.
    ///
    /// - Parameter isTurned: whether it is asked for in the other order than it is told in.
    func run(_ query: LogMethod.Input, isTurned: Bool) throws(Failure) {
        do throws(Failure) { try tellAll(query, isTurned: isTurned) } catch {
            _ = end()
            throw error
        }
        if let mistake = end() { throw Failure(.configuration, mistake) }
    }

    private func tellAll(_ query: LogMethod.Input, isTurned: Bool) throws(Failure) {
        var query = query
        // Of what is removed only they tell the title.
        query.changes = true
        var progress = Progress()
        defer { progress.clear() }
        try session.client.stream(LogMethod.self, query) { answer throws(Failure) in
            let page = try answer.output()
            entries += page.entries
            if !hasBegun, let reached = page.reached ?? page.records.last?.sequence { progress.show(record: reached) }
            guard entries.count >= pieceRecordsMax, !isTurned else { return .more }
            progress.clear()
            try tell()
            return .more
        }
        progress.clear()
        if isTurned { entries.reverse() }
        try tell()
        if let cutAway, verb.reverse || !hasBegun { session.show([cutAway]) }
    }

    private var pieceRecordsMax: Int {
        session.isTerminal ? Self.pieceRecordsMax.terminal : Self.pieceRecordsMax.pipe
    }

    private func tell() throws(Failure) {
        guard !entries.isEmpty else { return }
        let isFirst = !hasBegun
        if isFirst { try begin() }
        let titles = titles
        let told = entries.map { entry in
            let below = verb.diff ? Array(table.lines(entry.record, entry.detail, showsChanges: true).dropFirst()) : []
            return LogSentences.Entry(entry.record, entry.detail, below: below, titles: titles)
        }
        var lines = sentences.lines(told)
        if let cutAway, isFirst, !verb.reverse { lines.insert(cutAway, at: 0) }
        if isFirst, session.isTerminal { openPager(lineCount: lines.count) }
        session.show(lines)
        entries = []
        session.output.flush()
    }

    /// What the todos are called of which the records don't tell it; without it their numbers name them.
    private var titles: [Int64: String] {
        let records = entries.map(\.record)
        // Of a place only what changed there is told, and that is no title.
        let ids = verb.path == nil ? RecordSentence.moved(by: records) : RecordSentence.named(by: records)
        // The other connection may stream the log.
        return ids.isEmpty ? [:] : (try? session.client.another().titles(of: ids)) ?? [:]
    }

    private func begin() throws(Failure) {
        hasBegun = true
        sentences.undone = try session.undoneSteps(since: verb.reverse ? 0 : entries.map(\.record.step).min() ?? 0)
    }

    /// - Parameter lineCount: of what is known to be told.
    private func openPager(lineCount: Int) {
        // The newest stands at the end. What fits the screen is shown there as it is: less would fill it with empty lines above.
        pager = Pager(at: verb.reverse || lineCount < Size.ofTerminal.rows ? .beginning : .end)
        // The screen is the pager's.
        if pager != nil { session.client.whileWaiting = { _ in } }
    }

    /// Why nothing could be shown, as a sentence.
    private func end() -> String? {
        session.output.flush()
        session.client.whileWaiting = nil
        defer { pager = nil }
        return pager?.end()
    }
}

extension Session {
    /// The steps from a record on that were taken back and not done again, by whatever came since.
    func undoneSteps(since first: UInt64) throws(Failure) -> Set<UInt64> {
        var undone: Set<UInt64> = []
        var progress = Progress()
        defer { progress.clear() }
        // The other connection may stream the log.
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
