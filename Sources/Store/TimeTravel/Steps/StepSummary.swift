public import ChronicleLog

/// Summary of a step for display: its actions, status and commands.
public struct StepSummary: Sendable, Equatable {
    /// Whether a step is active or undone.
    public enum Stage: Sendable, Equatable {
        case standing
        case undone(by: UInt64)
        /// Undone, and redone by this step.
        case redone(by: UInt64)
    }

    /// Maximum number of action names.
    public static let actionsMax = 8

    /// The step: the sequence of its first record.
    public var step: UInt64
    /// Its last record; records of other steps may lie between.
    public var last: UInt64
    /// Number of records.
    public var records: UInt64
    public var origin: UInt32
    /// Start, in microseconds since 1970.
    public var time: Int64
    /// Names of the dispatched actions, without duplicates, in log order; the first `actionsMax`.
    public var actions: [String]
    /// Whether it is active or undone.
    public var stage: Stage
    /// Whether it only made queries, so that it is undone only by number.
    public var isRequest: Bool
    /// Number of commands by outcome.
    public var ends: [CommandOutcome: Int]
    /// Number of open commands.
    public var open: Int
    /// The fork records that it merged; `nil`: none.
    public var merges: ForkMark?
}

/// Collects the summary of a step during a backward scan.
struct StepNotes {
    private var last: UInt64 = 0
    private var records: UInt64 = 0
    // Newest first.
    private var actions: [String] = []
    private var ends: [CommandOutcome: Int] = [:]
    private var open = 0

    /// Adds the preceding record, with the name of its action if that was dispatched.
    mutating func take(_ record: HeaderFields, _ name: String?) {
        last = max(last, record.sequence)
        records += 1
        guard let name else { return }
        actions.removeAll { $0 == name }
        actions.append(name)
        if actions.count > StepSummary.actionsMax { actions.removeFirst() }
    }

    mutating func note(_ outcome: CommandOutcome) { ends[outcome, default: 0] += 1 }

    mutating func noteOpen() { open += 1 }

    func summary(of first: HeaderFields, _ step: StepScan.Step, _ undos: UndoStates) -> StepSummary {
        let stage: StepSummary.Stage =
            if let by = undos.undoing(step.number) { .undone(by: by) } else if let by = undos.redoing(step.number) {
                .redone(by: by)
            } else { .standing }
        return StepSummary(
            step: step.number, last: last, records: records, origin: step.origin, time: first.time, actions: actions.reversed(),
            stage: stage, isRequest: !step.hasOrder, ends: ends, open: open)
    }
}
