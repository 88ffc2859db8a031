import CMachine
import ChronicleLog
public import Etcd
import Synchronization

/// Whether the cluster accepts appends of this machine, as far as it knows.
public enum SharedLogReach: Sendable, Equatable {
    case answers
    /// No member answers, and why.
    case silent(String)
    /// Members answer, but too few of them reach each other.
    case withoutQuorum
    /// It accepts nothing until a person has acted on the sentence.
    case refused(String)

    /// Why nothing can be changed, as a sentence; `nil`: it can.
    public var obstacle: String? {
        switch self {
        case .answers: nil
        case .silent(let why): "\(why); changes are taken again as soon as the cluster answers"
        case .withoutQuorum: Self.quorumIsLost
        case .refused(let what): what
        }
    }

    /// Whether a person has to act.
    public var isRefused: Bool { if case .refused = self { true } else { false } }

    static let quorumIsLost = "too few members of the cluster reach each other; changes are taken again as soon as most do"

    /// Whether both are equal, apart from the reason of silence.
    func isLike(_ other: SharedLogReach) -> Bool {
        if case .silent = self, case .silent = other { true } else { self == other }
    }
}

/// A change of the cluster, as far as this machine can tell.
public enum SharedLogEvent: Sendable, Equatable {
    /// It answers again or no longer.
    case reach(SharedLogReach)
    /// Its members have no space left, or have some again.
    case isFull(Bool)
}

extension ReplicatedActionLog {
    /// Sets the listener to changes; it is called at once if the cluster is away or full.
    public func listen(_ listener: @escaping @Sendable (SharedLogEvent) -> Void) {
        let (reach, isFull) = state.withLock { state in
            state.listener = listener
            return (self.reach(in: state), state.isFull)
        }
        if reach != .answers { listener(.reach(reach)) }
        if isFull { listener(.isFull(true)) }
    }

    /// The reach, with the reports of other machines taken into account.
    func reach(in state: State) -> SharedLogReach {
        state.hasNamesake ? .refused(namesake) : state.putBack.map { .refused(putBack(by: $0)) } ?? state.reach
    }

    /// Changes the state, and calls the listener for what has changed.
    func note(_ change: (inout State) -> Void) {
        let (events, listener) = state.withLock { state in
            let before = (reach: reach(in: state), isFull: state.isFull)
            change(&state)
            let after = reach(in: state)
            var events: [SharedLogEvent] = []
            if !after.isLike(before.reach) { events.append(.reach(after)) }
            if state.isFull != before.isFull { events.append(.isFull(state.isFull)) }
            return (events, state.listener)
        }
        for event in events { listener?(event) }
    }

    /// Records that the cluster is away, and why; calls fail at once for a while.
    func noteAway(after error: EtcdError, for pause: UInt64 = awayPause) {
        let reach: SharedLogReach =
            error.isLasting ? .refused(words(of: error)) : error.isWithoutLeader ? .withoutQuorum : .silent("\(error)")
        note { ($0.awayUntil, $0.reach) = (monotonic_nanoseconds() + pause, reach) }
    }

    /// An error as a sentence, with the remedy if it is lasting.
    public func words(of error: EtcdError) -> String { remedies.words(of: error) }
}
