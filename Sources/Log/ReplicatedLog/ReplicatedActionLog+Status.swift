import ChronicleLog
import CMachine
public import Etcd
import Synchronization

public struct SharedLogSurvey: Sendable {
    /// Sorted by name.
    public var nodes: [SharedNode]
    public var runner: String?
    /// Number of batches in the log; `nil`: the cluster has no head that can be read.
    public var batches: UInt64?
    public var sequence: UInt64?
    /// The first batch that the cluster still has; `nil`: none.
    public var firstBatch: UInt64?
    var revision: Int64
}

extension ReplicatedActionLog {
    /// Reads the state of the log and of its machines from the cluster, in one transaction.
    public func survey() async throws(EtcdError) -> SharedLogSurvey {
        let reading = EtcdTransaction(then: [
            .range(EtcdRange(keys.head)), .range(EtcdRange(keys.batch(0), upTo: keys.batch(.max), limit: 1)),
            .range(EtcdRange(keys.leader)), .range(EtcdRange(allWith: keys.nodes)),
        ])
        let found = try await client.answerOfAny(to: .transaction(reading))
        guard found.entries.count == 4 else { throw .unreadable("kv/txn") }
        let head = found.entries[0].first.flatMap { try? SharedHead($0) }
        var survey = SharedLogSurvey(
            nodes: keys.machines(in: found.entries[3]),
            runner: found.entries[2].first.map { String(decoding: $0.value, as: UTF8.self) },
            batches: head?.number, sequence: head?.sequence,
            firstBatch: found.entries[1].first.flatMap { keys.number(ofBatch: $0.key) }, revision: found.revision)
        // This machine knows more of itself than it has reported.
        if let place = copy.place, let own = survey.nodes.firstIndex(where: { $0.name == node }) {
            (survey.nodes[own].batches, survey.nodes[own].sequence) = (place.number, copy.head.sequence)
            (survey.nodes[own].time, survey.nodes[own].obstacle) = (wall_microseconds(), state.withLock { $0.obstacle })
        }
        return survey
    }

    /// Sets the listener to changes; calls it at once if the cluster is away or full.
    public func listen(_ listener: @escaping @Sendable (SharedLogEvent) -> Void) {
        let (reach, isFull) = state.withLock { state in
            state.listener = listener
            return (self.reach(in: state), state.isFull)
        }
        if reach != .answers { listener(.reach(reach)) }
        if isFull { listener(.isFull(true)) }
    }

    /// Takes the reports of other machines into account.
    func reach(in state: State) -> ClusterHealth {
        state.hasNamesake ? .refused(namesake) : state.putBack.map { .refused(putBack(by: $0)) } ?? state.reach
    }

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
        let reach: ClusterHealth =
            error.isLasting ? .refused(words(of: error)) : error.isWithoutLeader ? .withoutQuorum : .silent("\(error)")
        note { ($0.awayUntil, $0.reach) = (monotonic_nanoseconds() + pause, reach) }
    }

    public func words(of error: EtcdError) -> String { remedies.words(of: error) }

    /// The current status; it asks no member.
    public var standing: SharedLogStanding {
        let place = copy.place
        return state.withLock { state in
            SharedLogStanding(
                name: place?.name ?? "", node: node, batches: place?.number ?? 0, isLeading: state.fence != nil,
                reach: reach(in: state), isFull: state.isFull, isInDoubt: state.doubt != nil)
        }
    }
}

/// Whether the cluster accepts appends of this machine, as far as it knows.
public enum ClusterHealth: Sendable, Equatable {
    case answers
    /// No member answers, for this reason.
    case silent(String)
    /// Members answer, but too few of them reach each other.
    case withoutQuorum
    /// It accepts nothing until a person has acted on the sentence.
    case refused(String)

    /// Why nothing can be changed, as a sentence; `nil`: it can.
    public var obstacle: String? {
        switch self {
        case .answers: nil
        case .silent(let why): "\(why); changes are accepted again as soon as the cluster answers"
        case .withoutQuorum: Self.quorumIsLost
        case .refused(let what): what
        }
    }

    public var isRefused: Bool { if case .refused = self { true } else { false } }

    static let quorumIsLost =
        "too few members of the cluster reach each other; changes are accepted again as soon as a majority does"

    /// Whether both are equal, apart from the reason of silence.
    func isLike(_ other: ClusterHealth) -> Bool {
        if case .silent = self, case .silent = other { true } else { self == other }
    }
}

public enum SharedLogEvent: Sendable, Equatable {
    case reach(ClusterHealth)
    case isFull(Bool)
}

/// Remedies for lasting errors of the cluster; the program sets the texts, because it knows the names of its settings.
public struct ErrorHints: Sendable {
    public var address = "fix the address of the cluster, and open the log again"
    public var authorities = "fix the authorities, and open the log again"
    public var certificate = "fix the certificate and its key, and open the log again"
    public var user = "fix the user and its password, and open the log again"
    public var permission = "grant the permission to the role of the user"
    /// Whether this machine sets a user; if not, a missing permission means a missing user.
    public var hasUser = true
    /// Another machine has the same name.
    public var node = "rename one of them"
    /// The log is not a copy of the shared one.
    public var alone = "open it without the cluster"

    public init() {}

    /// An error as a sentence, with the remedy if it is lasting.
    public func words(of error: EtcdError) -> String {
        switch error {
        case .refused(.denied(.permission), _) where !hasUser: return words(of: .nameless)
        case .refused(.full, let message):
            return
                "the cluster has no space left (\(message)): within a minute, a machine removes the batches that all have; then "
                + "run etcdctl defrag for each member, the leader last, and etcdctl alarm disarm"
        default: break
        }
        let remedy: String
        switch error.concern {
        case .address: remedy = address
        case .authorities: remedy = authorities
        case .certificate: remedy = certificate
        case .user: remedy = user
        case .permission: remedy = permission
        case nil: return error.isWithoutLeader ? ClusterHealth.quorumIsLost : "\(error)"
        }
        return "\(error): \(remedy)"
    }
}

public struct SharedLogStanding: Sendable {
    public var name: String
    public var node: String
    public var batches: UInt64
    public var isLeading: Bool
    public var reach: ClusterHealth
    /// Whether the members refused this machine's last append or report because they have no space left.
    public var isFull: Bool
    public var isInDoubt: Bool
}

extension SharedLogStanding {
    public var isAway: Bool { reach != .answers }
}
