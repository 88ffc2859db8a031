import Records
public import Reducing
public import StoreRuntime
import Values

/// A place in a list of steps: the next page goes on before it.
public struct StepCursor: Sendable {
    fileprivate var scan: StepScan
    fileprivate var notes: [UInt64: StepNotes] = [:]
    // How commands ended whose askers were not passed yet.
    fileprivate var outcomes: [CommandID: CommandOutcome] = [:]
    fileprivate var left: Int
    fileprivate var hasBegun = false
    /// The record before which the next page goes on; what is before the log's beginning is not told.
    public fileprivate(set) var reached: UInt64
    /// Whether another page may have steps.
    public fileprivate(set) var hasMore: Bool

    /// Takes the record before the last one that was taken; gives the step that it completes, if that is one to be told of.
    fileprivate mutating func take<App: Feature>(_ seen: SeenRecord<App>, _ open: Set<CommandID>) -> StepSummary? {
        let record = seen.record
        if let outcome = record.outcome, let command = record.cause { outcomes[command] = outcome }
        notes[record.step, default: StepNotes()].take(record, seen.nature == nil || seen.nature == .typing ? nil : seen.name)
        for index in 0..<UInt32(clamping: record.commandCount) {
            let command = CommandID(sequence: record.sequence, index: index)
            if let outcome = outcomes.removeValue(forKey: command) {
                notes[record.step]?.note(outcome)
            } else if open.contains(command) {
                notes[record.step]?.noteOpen()
            }
        }
        let step = scan.take(record, wanting: seen.nature, wiping: [])
        guard record.sequence == record.step, let notes = notes.removeValue(forKey: record.step), let step,
            step.hasOrder || step.hasRequest, step.undoes.isEmpty
        else { return nil }
        return notes.summary(of: record, step, scan.rewrites)
    }

    fileprivate init(before next: UInt64, limit: Int, _ isOfInterest: @escaping @Sendable (HeaderFields) -> Bool) {
        scan = StepScan(of: isOfInterest)
        reached = next
        left = limit
        hasMore = limit > 0
    }
}

/// What of a record matters to a list of steps.
private struct SeenRecord<App: Feature>: Sendable {
    var record: HeaderFields
    var nature: ActionNature?
    var name: String?
}

extension History where App.Action: ValueConvertible {
    /// Begins a list of the steps that somebody did, the newest first: those that undo takes back, has taken back or has done again.
    ///
    /// Among them are those that only asked to see something, which it takes back by their numbers alone.
    /// - Parameter origin: `nil`: everybody's.
    public func steps(of origin: UInt32?, limit: Int = .max) -> StepCursor {
        StepCursor(before: head + 1, limit: limit) { record in
            (record.kind == .action || record.kind == .end) && (origin.map { record.origin == $0 } ?? true)
        }
    }

    /// The next page of a list of steps: at most `HistoryLimits.pageRecordsMax`; fewer, or none, when that is all that was found within
    /// `HistoryLimits.pageNanosecondsMax`.
    public func page(of cursor: inout StepCursor) async throws(StoreError) -> [StepSummary] {
        let start = cursor
        let advance = { @Sendable (queries: isolated Queries) async throws(StoreError) -> ([StepSummary], StepCursor) in
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
                        record: record, nature: self.wanted(record, action), name: action.flatMap { $0.value.actionName })
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
