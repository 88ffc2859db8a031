import CMachine
public import Etcd
import Records
import Synchronization

/// Whether the cluster takes what this machine brings, as far as it knows.
public enum SharedLogReach: Sendable, Equatable {
    /// It does.
    case answers
    /// Nobody answers, and why not.
    case silent(String)
    /// Members answer, and too few of them reach each other.
    case withoutQuorum
    /// Nothing is taken from this machine until a person mends what is said.
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

    /// Whether a person has something to mend.
    public var isRefused: Bool { if case .refused = self { true } else { false } }

    static let quorumIsLost = "too few members of the cluster reach each other; changes are taken again as soon as most do"

    /// Whether both say the same, whatever each member said.
    func isLike(_ other: SharedLogReach) -> Bool {
        if case .silent = self, case .silent = other { true } else { self == other }
    }
}

/// What becomes of the cluster, as far as this machine can tell.
public enum SharedLogEvent: Sendable, Equatable {
    /// It answers again, or no longer.
    case reach(SharedLogReach)
    /// Its members have no space left, or have some again.
    case isFull(Bool)
}

extension ReplicatedActionLog {
    /// Has somebody told of what happens, once each; at once of what is not as it should be.
    public func listen(_ listener: @escaping @Sendable (SharedLogEvent) -> Void) {
        let (reach, isFull) = state.withLock { state in
            state.listener = listener
            return (self.reach(in: state), state.isFull)
        }
        if reach != .answers { listener(.reach(reach)) }
        if isFull { listener(.isFull(true)) }
    }

    /// What is known with all that stands in the way.
    func reach(in state: State) -> SharedLogReach {
        state.hasNamesake ? .refused(namesake) : state.putBack.map { .refused(putBack(by: $0)) } ?? state.reach
    }

    /// Notes something, and tells of what is otherwise than before.
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

    /// Notes that nothing could be done, and why, so that nothing is tried for a while.
    func noteAway(after error: EtcdError, for pause: UInt64 = awayPause) {
        let reach: SharedLogReach =
            error.isLasting ? .refused(words(of: error)) : error.isWithoutLeader ? .withoutQuorum : .silent("\(error)")
        note { ($0.awayUntil, $0.reach) = (monotonic_nanoseconds() + pause, reach) }
    }

    /// An error as a sentence, with what a person has to mend if it lasts until then.
    public func words(of error: EtcdError) -> String { remedies.words(of: error) }
}
