public import Chronicle
import ChronicleLog
public import ChronicleStore

/// Read position of a step list, which is read backwards.
public struct StepCursor: Sendable {
    fileprivate var scan: StepScan
    fileprivate var notes: [UInt64: StepNotes] = [:]
    // Ends of commands whose requests are not read yet.
    fileprivate var outcomes: [CommandID: CommandOutcome] = [:]
    fileprivate var left: Int
    fileprivate var hasBegun = false
    /// The last record read.
    public fileprivate(set) var reached: UInt64
    /// Whether another page may have steps.
    public fileprivate(set) var hasMore: Bool

    /// Adds the preceding record; returns the step that it completes, if it belongs in the list.
    fileprivate mutating func take<App: Feature>(_ seen: SeenRecord<App>, _ open: Set<CommandID>) -> StepSummary? {
        let record = seen.record
        if let outcome = record.outcome, let command = record.cause { outcomes[command] = outcome }
        notes[record.step, default: StepNotes()].take(record, seen.kind == nil || seen.kind == .edit ? nil : seen.name)
        for index in 0..<UInt32(clamping: record.commandCount) {
            let command = CommandID(sequence: record.sequence, index: index)
            if let outcome = outcomes.removeValue(forKey: command) {
                notes[record.step]?.note(outcome)
            } else if open.contains(command) {
                notes[record.step]?.noteOpen()
            }
        }
        let step = scan.take(record, wanting: seen.kind, overwriting: [])
        guard record.sequence == record.step, let notes = notes.removeValue(forKey: record.step), let step,
            step.hasOrder || step.hasRequest, step.undoes.isEmpty
        else { return nil }
        return notes.summary(of: record, step, scan.undos)
    }

    fileprivate init(before next: UInt64, limit: Int, _ isOfInterest: @escaping @Sendable (HeaderFields) -> Bool) {
        scan = StepScan(of: isOfInterest)
        reached = next
        left = limit
        hasMore = limit > 0
    }
}

private struct SeenRecord<App: Feature>: Sendable {
    var record: HeaderFields
    var kind: ActionKind?
    var name: String?
}

extension History where App.Action: ValueConvertible {
    /// Begins a list of steps, newest first, including those that only made queries.
    /// - Parameter origin: `nil`: all uids.
    public func steps(of origin: UInt32?, limit: Int = .max) -> StepCursor {
        StepCursor(before: head + 1, limit: limit) { record in
            (record.kind == .action || record.kind == .end) && (origin.map { record.origin == $0 } ?? true)
        }
    }

    /// The next page: at most `HistoryLimits.pageRecordsMax` steps; fewer, or none, after `HistoryLimits.pageNanosecondsMax`.
    public func page(of cursor: inout StepCursor) async throws(StoreError) -> [StepSummary] {
        let start = cursor
        let advance = { @Sendable (queries: isolated QueryExecutor) async throws(StoreError) -> ([StepSummary], StepCursor) in
            var cursor = start
            var found: [StepSummary] = []
            let end = monotonicNanoseconds() + HistoryLimits.pageNanosecondsMax
            let open = Set(try StoreError.reading { () throws(ActionLogError) in try self.log.outbox() }.map(\.id))
            while cursor.hasMore, found.count < HistoryLimits.pageRecordsMax, monotonicNanoseconds() < end {
                let base = self.base.sequence
                guard cursor.reached > base + 1 else {
                    cursor.hasMore = false
                    break
                }
                let first = max(base + 1, cursor.reached - min(cursor.reached - 1, HistoryLimits.scanRecords))
                let records = try await self.readPage(first...cursor.reached - 1, queries) { record, action in
                    SeenRecord<App>(
                        record: record, kind: self.wanted(record, action), name: action.flatMap { $0.value.actionName })
                }
                for record in records.reversed() where cursor.hasMore {
                    cursor.reached = record.record.sequence
                    guard var step = cursor.take(record, open) else { continue }
                    if record.record.isMerge { step.merges = try self.record(at: step.step).header.merges }
                    found.append(step)
                    cursor.left -= 1
                    cursor.hasMore = cursor.left > 0
                }
            }
            cursor.hasBegun = true
            return (found, cursor)
        }
        let (found, rest) = try await start.hasBegun ? queries.goOn(.long, advance) : queries.admit(.long, advance)
        cursor = rest
        return found
    }
}
