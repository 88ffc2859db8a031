import CMachine
import Etcd
import Glibc
import Records
import Synchronization
import Values

/// An append on its way: sent as often as it takes to know what became of it, and never changed.
struct Attempt {
    var place: ReplicaPlace
    /// The head that it follows.
    var head: [UInt8]
    /// The revision at which this machine became the one that runs commands, if it depends on that.
    var fence: Int64?
    var flush: SharedFlush
    var transaction: EtcdTransaction
}

extension ReplicatedActionLog {
    /// What became of a transaction that was sent.
    private enum Outcome {
        /// It stands in the log, since now or since it was sent before.
        case stands
        /// It never will: others were first.
        case neverWill
        /// It can't while there is a key that the head does not know of.
        case isBlocked
        /// Nobody knows any more: the log ends before what this machine has of it, or begins behind it.
        case isGone
    }

    /// Refuses at once what nobody would answer, or would not be kept for this machine.
    func checkReach() throws(ActionLogError) {
        let (reach, isNow) = state.withLock {
            (self.reach(in: $0), $0.isBarred || $0.awayUntil > monotonic_nanoseconds())
        }
        if isNow, let obstacle = reach.obstacle { throw .unavailable(what: obstacle) }
    }

    /// Finds out what became of an append that had no answer; what it brought comes with what others brought.
    func settle(until deadline: UInt64) throws(ActionLogError) {
        guard let attempt = state.withLock({ $0.doubt }) else { return }
        try checkReach()
        var untaken: Attempt?
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
                throw .unavailable(what: "it is not known what became of the last change: \(obstacle)")
            default: throw error
            }
        }
        // One before it may not be in the copy either, and is what was first then.
        state.withLock { ($0.doubt, $0.untaken) = (nil, untaken ?? $0.untaken) }
    }

    /// Sends a transaction until it is known what became of it: it stands in the log, or never will.
    ///
    /// Throws `othersFirst` in the second case, `unavailable` or `storageFull` when no member took it, and `inDoubt` when none answered
    /// in time; then the next call begins with it.
    func commit(_ attempt: Attempt, until deadline: UInt64) throws(ActionLogError) {
        var isDoubtful = state.withLock { $0.doubt != nil }
        var round = Round(memberCount: client.memberCount)
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
                // Who takes in what others wrote finds out that they have less; nothing will tell any more what became of a doubtful one.
                throw isDoubtful ? .inDoubt(what: Self.gone) : .othersFirst
            case .isBlocked:
                let key = String(decoding: keys.batch(attempt.place.number), as: UTF8.self)
                let what = "the cluster has a key \(key) that the end of the log does not know of, and it has to be removed"
                guard isDoubtful else { throw .contradiction(what: what) }
                state.withLock { $0.doubt = attempt }
                throw .inDoubt(what: what)
            }
        }
    }

    /// Sends a transaction once.
    private func outcome(of attempt: Attempt) throws(EtcdError) -> Outcome {
        let answer: EtcdTransaction.Answer
        do throws(EtcdError) { answer = try client.wait(for: .transaction(attempt.transaction)) } catch {
            // A member that finds itself full while it appends does so all the same, and only then says that it has no space. What is too
            // large has the same code.
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
        // Revisions are never given again, so a fence that is broken once stays broken.
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

    /// Has answers of the cluster believed alone that has this log.
    func trust(_ answer: EtcdTransaction.Answer) {
        if let cluster = answer.cluster { client.trust(cluster) }
    }

    /// Has the next member asked, since what this one has is not this log.
    func passOver(_ what: String) -> EtcdError {
        client.passOver()
        return .foreign(what)
    }

    /// What is said of what was on its way when the log was put back, or all that came then was removed before anybody could ask.
    private static let gone = "the cluster no longer has what came then"

    /// What is said of members that have nothing of this log.
    static let noLog = "the cluster has no log of this name any more"

    /// What is said of members that have another log in its place.
    static let otherLog = "the cluster has another log of this name"

    /// Whether what members answered is in the log, whatever they answered; it is in doubt where they don't say that.
    private func stands(_ attempt: Attempt) throws(EtcdError) -> Bool {
        do throws(EtcdError) {
            let found = try client.wait(for: .range(EtcdRange(keys.batch(attempt.place.number)))).first
            return found.flatMap { try? SharedBatch(sealed: $0) }?.id == attempt.place.batch
        } catch {
            throw .doubt("\(error)")
        }
    }

    /// Notes that another machine may run the commands.
    func loseFence(_ fence: Int64) {
        state.withLock { if $0.fence == fence { $0.fence = nil } }
    }

    /// What is said to the caller where members refuse: nothing was done, and they will say the same again.
    private func refusal(_ error: EtcdError) -> ActionLogError? {
        switch error {
        case .refused(.full, _): full(error)
        case .refused(.tooLarge, _): .flushTooLarge(bytes: Self.batchBytesMax, max: Self.batchBytesMax)
        case .refused, .foreign: .unavailable(what: words(of: error))
        case .away, .untrusted, .doubt, .unreadable: nil
        }
    }

    func full(_ error: EtcdError) -> ActionLogError { .storageFull(.cluster, message: words(of: error)) }

    private func giveUp(_ attempt: Attempt, _ error: EtcdError, _ isDoubtful: Bool) -> ActionLogError {
        if case .refused(.full, _) = error {} else { noteAway(after: error) }
        guard isDoubtful else { return .unavailable(what: words(of: error)) }
        state.withLock { $0.doubt = attempt }
        return .inDoubt(what: "\(error)")
    }

    /// Asks until somebody answers; reads may be asked again, and less each time.
    func read<Answer>(
        _ call: @autoclosure () -> EtcdCall<Answer>, until deadline: UInt64
    ) throws(ActionLogError) -> Answer {
        do throws(EtcdError) { return try ask(call(), until: deadline) } catch {
            if case .refused = error, !error.isLasting {} else { noteAway(after: error) }
            throw .unavailable(what: words(of: error))
        }
    }

    /// Asks until somebody answers, or refuses.
    ///
    /// Throws why nobody did: rather what lasts than that another member is away.
    ///
    /// - Parameter deadline: until when; `nil`: each member is asked once.
    func ask<Answer>(
        _ call: @autoclosure () -> EtcdCall<Answer>, until deadline: UInt64? = nil
    ) throws(EtcdError) -> Answer {
        var round = Round(memberCount: client.memberCount)
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

    /// Waits a moment.
    public func waitForReaders() { usleep(Self.readersPause) }
}

extension SharedBatch {
    /// Opens what stands under a batch's key.
    init(sealed entry: EtcdEntry) throws(ActionLogError) {
        self = try entry.reading { () throws(ActionLogError) in
            try Row.open(entry.value.span.bytes, key: entry.key.span.bytes, as: SharedBatch.self, sequence: 0, of: "it")
        }
    }
}
