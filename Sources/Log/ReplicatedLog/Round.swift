import Etcd

/// The failures of one call that goes from member to member.
struct Round {
    let memberCount: Int
    private var failures = 0
    /// Number of consecutive refusals.
    private var refusals = 0
    /// The refusal of all members: a retry would change nothing.
    private(set) var refusal: EtcdError?
    /// The failure that says most.
    private(set) var worst: EtcdError?

    init(memberCount: Int) { self.memberCount = memberCount }

    mutating func note(_ error: EtcdError) {
        failures += 1
        switch error {
        case .refused, .foreign: refusals += 1
        case .away, .untrusted, .doubt, .unreadable: refusals = 0
        }
        refusal = error.isOfAllMembers || refusals >= memberCount ? error : nil
        if error.weight >= worst?.weight ?? 0 { worst = error }
    }

    /// Whether all members have been asked equally often.
    var isOver: Bool { failures.isMultiple(of: memberCount) }
}

extension EtcdError {
    /// A lasting error says more than a lost quorum, and that more than a silent member.
    fileprivate var weight: Int { isLasting ? 2 : isWithoutLeader ? 1 : 0 }
}

extension EtcdClient {
    /// Asks each member once until one answers; throws the failure that says most.
    func answerOfAny<Answer>(to call: EtcdCall<Answer>) async throws(EtcdError) -> Answer {
        var round = Round(memberCount: memberCount)
        while true {
            do throws(EtcdError) { return try await answer(to: call) } catch {
                round.note(error)
                if round.isOver { throw round.worst ?? error }
            }
        }
    }
}
