public import Chronicle
public import ChronicleLog
public import ChronicleStore

/// Summary of a step for display: its actions, status and commands.
public struct StepSummary: Sendable, Equatable {
    public enum Stage: Sendable, Equatable {
        case standing
        case undone(by: UInt64)
        /// Undone, and redone by this step.
        case redone(by: UInt64)
    }

    public static let actionsMax = 8

    /// The step: the sequence of its first record.
    public var step: UInt64
    /// Its last record; records of other steps may lie between.
    public var last: UInt64
    public var records: UInt64 = 0
    public var origin: UInt32 = 0
    /// Start, in microseconds since 1970.
    public var time: Int64 = 0
    /// Names of the dispatched actions, without duplicates, in log order; the first `actionsMax`.
    public var actions: [String] = []
    public var stage = Stage.standing
    /// Whether it only made queries, so that it is undone only by number.
    public var isRequest = false
    public var ends: [CommandOutcome: Int] = [:]
    public var open = 0
    /// The fork records that it merged; `nil`: none.
    public var merges: ForkMark?

    /// Adds an action that precedes the others.
    fileprivate mutating func prepend(_ action: String) {
        actions.removeAll { $0 == action }
        actions.insert(action, at: 0)
        if actions.count > Self.actionsMax { actions.removeLast() }
    }
}

/// Read position of a step list, which is read backwards.
public struct StepCursor: PageCursor, Sendable {
    fileprivate var scan: StepScan
    // By step.
    fileprivate var unfinished: [UInt64: StepSummary] = [:]
    // Ends of commands whose requests are not read yet.
    fileprivate var outcomes: [CommandID: CommandOutcome] = [:]
    fileprivate var left: Int
    var hasBegun = false
    /// The last record read.
    public fileprivate(set) var reached: UInt64
    /// Whether another page may have steps.
    public fileprivate(set) var hasMore: Bool

    /// Adds the preceding record; returns the step that it completes, if it belongs in the list.
    fileprivate mutating func take(
        _ record: HeaderFields, _ kind: ActionKind?, _ name: String?, _ open: Set<CommandID>
    ) -> StepSummary? {
        if let outcome = record.outcome, let command = record.cause { outcomes[command] = outcome }
        var summary = unfinished.removeValue(forKey: record.step) ?? StepSummary(step: record.step, last: record.sequence)
        summary.records += 1
        if let name, let kind, kind != .edit { summary.prepend(name) }
        for index in 0..<UInt32(clamping: record.commandCount) {
            let command = CommandID(sequence: record.sequence, index: index)
            if let outcome = outcomes.removeValue(forKey: command) {
                summary.ends[outcome, default: 0] += 1
            } else if open.contains(command) {
                summary.open += 1
            }
        }
        let step = scan.take(record, wanting: kind, overwriting: [])
        guard record.sequence == record.step else {
            unfinished[record.step] = summary
            return nil
        }
        guard let step, step.hasOrder || step.hasRequest, step.undoes.isEmpty else { return nil }
        (summary.origin, summary.time, summary.isRequest) = (step.origin, record.time, !step.hasOrder)
        if let undo = scan.undoing(step.number) {
            summary.stage = .undone(by: undo)
        } else if let redo = scan.undos.redoing(step.number) {
            summary.stage = .redone(by: redo)
        }
        return summary
    }

    fileprivate init(before next: UInt64, limit: Int, _ isOfInterest: @escaping @Sendable (HeaderFields) -> Bool) {
        scan = StepScan(of: isOfInterest)
        reached = next
        left = limit
        hasMore = limit > 0
    }
}

extension History where App.Action: ValueConvertible {
    /// Begins a list of steps, newest first, including those that only made queries.
    /// - Parameter origin: `nil`: all uids.
    public func steps(of origin: UInt32?, limit: Int = .max) -> StepCursor {
        StepCursor(before: head + 1, limit: limit) { record in
            (record.kind == .action || record.kind == .end) && (origin.map { record.origin == $0 } ?? true)
        }
    }

    /// The next page: at most `Limits.pageRecordsMax` steps; fewer, or none, after `HistoryLimits.pageNanosecondsMax`.
    public func page(of cursor: inout StepCursor) async throws(StoreError) -> [StepSummary] {
        try await nextPage(of: &cursor) { (cursor, queries) async throws(StoreError) in
            var found: [StepSummary] = []
            let end = monotonicNanoseconds() + HistoryLimits.pageNanosecondsMax
            let open = Set(try StoreError.reading { () throws(ActionLogError) in try self.log.outbox() }.map(\.id))
            let base = self.base.sequence
            try await self.walkBack(from: cursor.reached - 1, downTo: base, queries) { record, action in
                (record, self.wanted(record, action), action.map { $0.value.actionName })
            } _: { (record, kind, name) throws(StoreError) in
                cursor.reached = record.sequence
                if var step = cursor.take(record, kind, name, open) {
                    if record.isMerge { step.merges = try self.record(at: step.step).header.merges }
                    found.append(step)
                    cursor.left -= 1
                }
                return cursor.left > 0 && found.count < Limits.pageRecordsMax && monotonicNanoseconds() < end
            }
            cursor.hasMore = cursor.left > 0 && cursor.reached > base + 1
            return found
        }
    }
}
