import ChronicleLog
import ChronicleValues
import CMachine
import Etcd
import Glibc
import Synchronization

/// An append in progress; it is sent unchanged until its outcome is known.
struct PendingAppend {
    var place: ReplicaPlace
    /// The head that it follows.
    var head: [UInt8]
    /// The revision at which this machine became the runner of commands, if the append depends on that.
    var fence: Int64?
    var flush: ReplicatedBatch
    var transaction: EtcdTransaction
}

extension ReplicatedActionLog {
    private enum Outcome {
        /// It is in the log, by this or by an earlier request.
        case stands
        /// It will never be in the log: others were first.
        case neverWill
        /// It can't be while there is a batch key beyond the head.
        case isBlocked
        /// Unknown for good: the log ends before this machine's copy, or its beginning is past the append.
        case isGone
    }

    /// Fails fast while the cluster is away or accepts nothing from this machine.
    func checkReach() throws(ActionLogError) {
        let (reach, isNow) = state.withLock {
            (self.reach(in: $0), $0.isBarred || $0.awayUntil > monotonic_nanoseconds())
        }
        if isNow, let obstacle = reach.obstacle { throw .unavailable(what: obstacle) }
    }

    /// Resolves an append in doubt; if it is in the log, it is followed like the appends of others.
    func resolveInDoubt(until deadline: UInt64) throws(ActionLogError) {
        guard let attempt = state.withLock({ $0.doubt }) else { return }
        try checkReach()
        var untaken: PendingAppend?
        do throws(ActionLogError) {
            try commit(attempt, until: deadline)
            untaken = attempt
        } catch {
            switch error {
            case .othersFirst, .inDoubt(Self.gone): break
            case .inDoubt:
                let (reach, isFull) = state.withLock { (self.reach(in: $0), $0.isFull) }
                if isFull { throw full(.refused(.full, "space exceeded")) }
                let obstacle = reach.obstacle ?? "the cluster does not answer"
                throw .unavailable(what: "the outcome of the last change is unknown: \(obstacle)")
            default: throw error
            }
        }
        // An earlier append may be missing in the copy as well.
        state.withLock { ($0.doubt, $0.untaken) = (nil, untaken ?? $0.untaken) }
    }

    /// Sends a transaction until its outcome is known.
    ///
    /// Throws `othersFirst` if it will never be in the log, `unavailable` or `storageFull` if no member executed it, and `inDoubt` if none
    /// answered in time; the next call then resolves it first.
    func commit(_ attempt: PendingAppend, until deadline: UInt64) throws(ActionLogError) {
        var isDoubtful = state.withLock { $0.doubt != nil }
        var round = MemberRetry(memberCount: client.memberCount)
        while true {
            let outcome: Outcome
            do throws(EtcdError) { outcome = try self.outcome(of: attempt) } catch {
                round.note(error)
                if case .refused(.full, _) = error { note { $0.isFull = true } }
                if let refused = round.refusal, let refusal = refusal(refused), !isDoubtful {
                    if refused.isLasting { noteAway(after: refused) }
                    throw refusal
                }
                if case .doubt = error { isDoubtful = true }
                if case .unreadable = error { isDoubtful = true }
                guard monotonic_nanoseconds() < deadline else { throw giveUp(attempt, round.worst ?? error, isDoubtful) }
                if round.isOver { Self.pause() }
                continue
            }
            switch outcome {
            case .stands:
                return note {
                    ($0.reach, $0.isFull, $0.untaken) = (.answers, false, nil)
                    $0.appends += 1
                }
            case .neverWill: throw .othersFirst
            case .isGone:
                // Following finds out that the log is shorter. The outcome of an append in doubt stays unknown.
                throw isDoubtful ? .inDoubt(what: Self.gone) : .othersFirst
            case .isBlocked:
                let key = String(decoding: keys.batch(attempt.place.number), as: UTF8.self)
                let what = "the cluster has an unexpected key \(key) after the head of the log: remove the key"
                guard isDoubtful else { throw .contradiction(what: what) }
                state.withLock { $0.doubt = attempt }
                throw .inDoubt(what: what)
            }
        }
    }

    private func outcome(of attempt: PendingAppend) throws(EtcdError) -> Outcome {
        let answer: EtcdTransaction.Answer
        do throws(EtcdError) { answer = try client.wait(for: .transaction(attempt.transaction)) } catch {
            // A member that becomes full while it applies a transaction applies it, and then reports that it has no space. A request that is
            // too large has the same code.
            switch error {
            case .refused(.full, _), .refused(.tooLarge, _): if try stands(attempt) { return .stands }
            default: break
            }
            throw error
        }
        guard !answer.hasSucceeded else {
            trust(answer)
            return .stands
        }
        guard answer.entries.count == 3 else { throw .unreadable("kv/txn") }
        let (batch, found, leader) = (answer.entries[0].first, answer.entries[1].first, answer.entries[2].first)
        guard let head = found else { throw passOver(Self.noLog) }
        // Revisions are never reused, so a broken fence stays broken.
        if let fence = attempt.fence, leader?.createRevision != fence { loseFence(fence) }
        let end = try? SharedHead(head)
        if let end, let own = try? SharedHead(canonical: attempt.head), end.storeID != own.storeID {
            throw passOver(Self.otherLog)
        }
        guard let batch else {
            guard let end else { return .neverWill }
            return end.number == attempt.place.number - 1 ? .neverWill : .isGone
        }
        if let found = try? SharedBatch(sealed: batch), found.id == attempt.place.batch { return .stands }
        return head.value == attempt.head ? .isBlocked : .neverWill
    }

    /// Trusts only the cluster that has this log from now on.
    func trust(_ answer: EtcdTransaction.Answer) {
        if let cluster = answer.cluster { client.trust(cluster) }
    }

    /// Passes over a member that does not have this log.
    func passOver(_ what: String) -> EtcdError {
        client.passOver()
        return .foreign(what)
    }

    /// The outcome of an append when the log was put back, or trimmed past it.
    private static let gone = "the cluster no longer has that batch"

    static let noLog = "the cluster no longer has a log of this name"

    static let otherLog = "the cluster has another log of this name"

    /// Whether an append is in the log although it was refused; throws `doubt` if no member answers that.
    private func stands(_ attempt: PendingAppend) throws(EtcdError) -> Bool {
        do throws(EtcdError) {
            let found = try client.wait(for: .range(EtcdRange(keys.batch(attempt.place.number)))).first
            return found.flatMap { try? SharedBatch(sealed: $0) }?.id == attempt.place.batch
        } catch {
            throw .doubt("\(error)")
        }
    }

    func loseFence(_ fence: Int64) {
        state.withLock { if $0.fence == fence { $0.fence = nil } }
    }

    /// A refusal as the caller's error: nothing was done, and a retry gets the same answer.
    private func refusal(_ error: EtcdError) -> ActionLogError? {
        switch error {
        case .refused(.full, _): full(error)
        case .refused(.tooLarge, _): .flushTooLarge(bytes: Self.batchBytesMax, max: Self.batchBytesMax)
        case .refused, .foreign: .unavailable(what: words(of: error))
        case .away, .untrusted, .doubt, .unreadable: nil
        }
    }

    func full(_ error: EtcdError) -> ActionLogError { .storageFull(.cluster, message: words(of: error)) }

    private func giveUp(_ attempt: PendingAppend, _ error: EtcdError, _ isDoubtful: Bool) -> ActionLogError {
        if case .refused(.full, _) = error {} else { noteAway(after: error) }
        guard isDoubtful else { return .unavailable(what: words(of: error)) }
        state.withLock { $0.doubt = attempt }
        return .inDoubt(what: "\(error)")
    }

    /// Repeats a read until a member answers, with a smaller page each time.
    func read<Answer>(
        _ call: @autoclosure () -> EtcdCall<Answer>, until deadline: UInt64
    ) throws(ActionLogError) -> Answer {
        do throws(EtcdError) { return try ask(call(), until: deadline) } catch {
            if case .refused = error, !error.isLasting {} else { noteAway(after: error) }
            throw .unavailable(what: words(of: error))
        }
    }

    /// Asks until a member answers or all refuse; throws the most informative error.
    ///
    /// - Parameter deadline: `nil`: each member is asked once.
    func ask<Answer>(
        _ call: @autoclosure () -> EtcdCall<Answer>, until deadline: UInt64? = nil
    ) throws(EtcdError) -> Answer {
        var round = MemberRetry(memberCount: client.memberCount)
        while true {
            do throws(EtcdError) { return try client.wait(for: call()) } catch {
                round.note(error)
                if let refusal = round.refusal { throw refusal }
                let isLate = deadline.map { monotonic_nanoseconds() >= $0 } ?? round.isOver
                guard !isLate else { throw round.worst ?? error }
                if round.isOver { Self.pause() }
            }
        }
    }

    private static func pause() { usleep(roundPause) }

    public func waitForReaders() { usleep(Self.readersPause) }
}

extension SharedBatch {
    init(sealed entry: EtcdEntry) throws(ActionLogError) {
        self = try entry.reading { () throws(ActionLogError) in
            try Row.open(entry.value.span.bytes, key: entry.key.span.bytes, as: SharedBatch.self, sequence: 0, of: "it")
        }
    }
}

/// The failures of one call that goes from member to member.
struct MemberRetry {
    let memberCount: Int
    private var failures = 0
    /// Number of consecutive refusals.
    private var refusals = 0
    /// The refusal of all members: a retry would change nothing.
    private(set) var refusal: EtcdError?
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
    /// A lasting error is more informative than a lost quorum, and that more than a silent member.
    fileprivate var weight: Int { isLasting ? 2 : isWithoutLeader ? 1 : 0 }
}

extension EtcdClient {
    /// Asks each member once until one answers; throws the most informative failure.
    func answerOfAny<Answer>(to call: EtcdCall<Answer>) async throws(EtcdError) -> Answer {
        var round = MemberRetry(memberCount: memberCount)
        while true {
            do throws(EtcdError) { return try await answer(to: call) } catch {
                round.note(error)
                if round.isOver { throw round.worst ?? error }
            }
        }
    }
}
