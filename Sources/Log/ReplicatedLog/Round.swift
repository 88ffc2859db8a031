import Etcd

/// What members said to one call that goes from one of them to the next.
struct Round {
    let memberCount: Int
    private var failures = 0
    /// How many refused it, one after the other.
    private var refusals = 0
    /// What is said at once, since to ask again would change nothing: all have refused it.
    private(set) var refusal: EtcdError?
    /// What is said of it when nobody took it in time; `nil`: nobody said anything yet.
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

    /// Whether each has had its turn once more.
    var isOver: Bool { failures.isMultiple(of: memberCount) }
}

extension EtcdError {
    /// Rather what lasts is said than that members lack each other, and rather that than that another one is away.
    fileprivate var weight: Int { isLasting ? 2 : isWithoutLeader ? 1 : 0 }
}

extension EtcdClient {
    /// Asks one member after the other, until one answers; throws why none did, rather what lasts.
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
