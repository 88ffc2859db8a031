public import Records

/// A step as it is told of: what one verb of one person did, whether it stands, and what came of it.
public struct StepSummary: Sendable, Equatable {
    /// Whether a step is to be taken back, or was.
    public enum Stage: Sendable, Equatable {
        /// It was never taken back.
        case standing
        /// This step took it back.
        case undone(by: UInt64)
        /// It was taken back, and this step did it again.
        case redone(by: UInt64)
    }

    /// Names of actions that are told.
    public static let actionsMax = 8

    /// The step: the sequence of its first record.
    public var step: UInt64
    /// Its last record; others may stand between them.
    public var last: UInt64
    /// How many records it has.
    public var records: UInt64
    public var origin: UInt32
    /// When it began, in microseconds since 1970.
    public var time: Int64
    /// What was dispatched, each name once, in the order of the log; the first `actionsMax`.
    public var actions: [String]
    /// Whether it stands.
    public var stage: Stage
    /// Whether it only asked to see something, so that it is taken back by its number alone.
    public var isRequest: Bool
    /// How its commands ended, and how many so.
    public var ends: [CommandOutcome: Int]
    /// How many of its commands are open.
    public var open: Int
    /// Which records of a fork it brought; `nil`: it merged none.
    public var merges: ForkMark?
}

/// What is noted of a step while a log is walked through from its end.
struct StepNotes {
    private var last: UInt64 = 0
    private var records: UInt64 = 0
    // The last first.
    private var actions: [String] = []
    private var ends: [CommandOutcome: Int] = [:]
    private var open = 0

    /// Takes the record before the last one that was taken, with the name of its action if that was dispatched.
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

    func summary(of first: HeaderFields, _ step: StepScan.Step, _ rewrites: Rewrites) -> StepSummary {
        let stage: StepSummary.Stage =
            if let by = rewrites.undoing(step.number) { .undone(by: by) } else if let by = rewrites.redoing(step.number) {
                .redone(by: by)
            } else { .standing }
        return StepSummary(
            step: step.number, last: last, records: records, origin: step.origin, time: first.time, actions: actions.reversed(),
            stage: stage, isRequest: !step.hasOrder, ends: ends, open: open)
    }
}
