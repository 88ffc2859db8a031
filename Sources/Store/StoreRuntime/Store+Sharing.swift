import Records
import Reducing
import Synchronization

/// Whether this machine takes in what others append, and who is told of it.
struct Following: Sendable {
    /// Why it does not; `nil`: it does, as far as it knows.
    var obstacle: String?
    var listener: (@Sendable (String?) -> Void)?
}

// A log that several machines share. What is decided here rests on what the copy of this machine has; whether that was all there was, the
// commit finds out. If others were first, what they wrote is taken in, and everything is decided anew.
extension Store {
    /// How an answer is found: on whatever state there is then.
    typealias Judgement = @Sendable (isolated Store) throws(StoreError) -> Acknowledgement<App.Command>

    /// Whether others append to the log: then it is kept how each answer was decided.
    @inline(__always)
    var isShared: Bool { stagedLog.shared != nil }

    static func judgement(of dispatch: Dispatch<App.Action>) -> Judgement {
        { store throws(StoreError) in try store.accept(dispatch) }
    }

    static func judgement(of order: CommandOrder<App.Action>) -> Judgement {
        { store throws(StoreError) in try store.accept(order) }
    }

    /// Says that others may have appended; from any thread, without waiting, and as often as one likes.
    public nonisolated func followOthers() {
        guard !hasNews.isSet.exchange(true, ordering: .acquiringAndReleasing) else { return }
        let entry = inbox.add(.task { $0.takeNews() }, cost: Limits.sliceCostMax)
        signal(entry) { _ in hasNews.isSet.store(false, ordering: .releasing) }
    }

    private func takeNews() {
        hasNews.isSet.store(false, ordering: .releasing)
        commit()
        // Who can't be asked is asked again when there is news; what is wrong here is noted by then.
        let isLevel = (try? followSome()) ?? true
        if !isLevel { followOthers() }
    }

    /// Whether what is answered without anything to write was decided on all that there is.
    func confirm(until deadline: UInt64) -> ActionLogError? {
        guard let shared = stagedLog.shared else { return nil }
        do throws(ActionLogError) { try shared.confirm(until: deadline) } catch { return error }
        return nil
    }

    /// Decides anew, and commits, until that succeeds or there is no point in it.
    func commitAnew(after error: ActionLogError, until deadline: UInt64) -> ActionLogError? {
        switch error {
        case .othersFirst: commitBehindOthers(until: deadline)
        case .flushTooLarge where stagedLog.pending.answers.count > 1: commitInHalves(until: deadline)
        default: error
        }
    }

    private func commitBehindOthers(until deadline: UInt64) -> ActionLogError? {
        for _ in 0..<Limits.othersFirstMax {
            takeBackStaged()
            stagedLog.pending.dropStaged(after: log.head)
            do throws(StoreError) {
                guard try follow(pagesMax: Limits.pagesBehindMax, until: deadline) else {
                    return .unavailable(what: "this machine has to catch up with the others first")
                }
            } catch {
                switch error {
                case .outcomeUnknown(let what): return .unknownOutcome(what: what)
                case .unavailable(let what), .unreadable(let what), .storageFull(let what): return .unavailable(what: what)
                case .queryBusy: return .readersFull
                default: return .unavailable(what: Self.obstacle(of: error))
                }
            }
            judgeAnew()
            let failure = write(until: deadline)
            switch failure {
            case .othersFirst? where monotonicNanoseconds() < deadline: continue
            case .flushTooLarge? where stagedLog.pending.answers.count > 1: return commitInHalves(until: deadline)
            default: return failure
            }
        }
        return .othersFirst
    }

    /// Commits the first half of what is too large together, and then the second; one that is too large alone is refused alone.
    private func commitInHalves(until deadline: UInt64) -> ActionLogError? {
        let (waiting, all) = (stagedLog.pending.answers, judgements)
        takeBackStaged()
        let middle = waiting.count / 2
        for half in [0..<middle, middle..<waiting.count] {
            stagedLog.pending.restart(after: log.head)
            stagedLog.pending.answers = Array(waiting[half])
            judgements = Array(all[half])
            judgeAnew()
            commit(until: deadline)
        }
        return nil
    }

    private func judgeAnew() {
        for index in judgements.indices {
            stagedLog.pending.answers[index].result = Result { () throws(StoreError) in try judgements[index](self) }
        }
    }

    /// Does something that rests on all that there is, again behind what others wrote for as long as they are first; then the body gives
    /// nothing.
    func behindOthers<Value>(_ body: () throws(StoreError) -> Value?) throws(StoreError) -> Value {
        let deadline = stagedLog.shared?.deadlineFromNow ?? .max
        for _ in 0..<Limits.othersFirstMax {
            if let value = try body() { return value }
            guard monotonicNanoseconds() < deadline else { break }
            guard try follow(pagesMax: Limits.pagesBehindMax, until: deadline) else {
                throw .unavailable("this machine has to catch up with the others first")
            }
        }
        throw .unavailable("others write to the log all the time, and first")
    }

    /// Takes in what others appended, page by page and until a deadline, and shows it; nothing is staged.
    ///
    /// - Returns: whether that was all.
    func follow(pagesMax: Int, until deadline: UInt64) throws(StoreError) -> Bool {
        guard let shared = stagedLog.shared else { return true }
        if let obstacle = stagedLog.obstacle, untaken == nil { throw obstacle }
        for _ in 0..<pagesMax {
            guard let news = try next(of: shared, until: deadline) else {
                note(obstacle: nil)
                return true
            }
            do throws(StoreError) {
                switch news {
                case .appended(let flush):
                    try stagedLog.follow(flush)
                    show(changesSubscriptions: flush.changesSubscriptions)
                case .redacted(let first): try foldAnew(from: first)
                }
                (untaken, stagedLog.obstacle) = (nil, nil)
            } catch {
                stagedLog.obstacle = error
                if error == .queryBusy {
                    // It stands in the copy, and is read once there is room among the readers.
                    untaken = news
                    followOthers()
                } else {
                    untaken = nil
                    note(obstacle: Self.obstacle(of: error))
                }
                throw error
            }
            guard monotonicNanoseconds() < deadline else { break }
        }
        note(obstacle: nil)
        return false
    }

    /// Takes in some pages, before somebody else has a turn.
    private func followSome() throws(StoreError) -> Bool {
        try follow(pagesMax: Limits.newsPagesMax, until: stagedLog.shared?.deadlineFromNow ?? .max)
    }

    /// What comes next of what others did: that which stands in the copy and could not be read yet, or something new.
    private func next(of shared: any SharedActionLog, until deadline: UInt64) throws(StoreError) -> SharedNews? {
        if let untaken {
            shared.waitForReaders()
            return untaken
        }
        do throws(ActionLogError) { return try shared.follow(until: deadline) } catch {
            switch error {
            // It is about the others, or about this moment.
            case .unavailable, .inDoubt, .othersFirst, .readersFull: break
            case .unknownOutcome(let what):
                note(obstacle: "\(error)")
                options.onUnknownOutcome(what)
            // Nothing was taken in, so it goes on should that be mended.
            default: note(obstacle: "\(error)")
            }
            throw StoreError(error)
        }
    }

    private static func obstacle(of error: StoreError) -> String {
        let what =
            switch error {
            case .damaged(let sequence, let what), .undecodable(let sequence, let what): "record \(sequence): \(what)"
            case .unreadable(let what), .storageFull(let what): what
            default: "\(error)"
            }
        return "what others wrote can't be read: \(what)"
    }

    /// Notes why nothing is taken in, or that something is, and tells of it once.
    func note(obstacle: String?) {
        let listener = following.withLock { following -> (@Sendable (String?) -> Void)? in
            guard following.obstacle != obstacle else { return nil }
            following.obstacle = obstacle
            return following.listener
        }
        listener?(obstacle)
    }

    /// Why this machine can't take in what others append, as a sentence; `nil`: it can, as far as it knows.
    public nonisolated var followingObstacle: String? { following.withLock { $0.obstacle } }

    /// Has somebody told, on the store's thread, whenever `followingObstacle` is another.
    public nonisolated func listenToFollowing(_ listener: @escaping @Sendable (String?) -> Void) {
        following.withLock { $0.listener = listener }
    }

    /// Folds all of the log, of which records hold less now; nothing else is decided here meanwhile.
    private func foldAnew(from first: UInt64) throws(StoreError) {
        snapshots?.removeAll(from: first)
        try stagedLog.foldAnew(initial: initial)
        show(changesSubscriptions: false)
        // Once more: one may have been written in between.
        snapshots?.removeAll(from: first)
        onRedaction.withLock { $0 }?()
    }

    /// Has somebody told, on the store's thread, that others took something out of records.
    public nonisolated func listenToRedactions(_ listener: @escaping @Sendable () -> Void) {
        onRedaction.withLock { $0 = listener }
    }

    private func show(changesSubscriptions: Bool) {
        stagedLog.noteCommitted()
        stagedLog.pending.dropStaged(after: log.head)
        statistics.note(stagedLog.outbox)
        if changesSubscriptions { showSubscriptions() }
        publisher.publish(stagedLog.staged)
        tellOfCommands()
        if let snapshots { snapshots.offer(stagedLog.staged, head: log.head) }
    }
}

extension Store {
    /// Takes in all that others appended, and waits for that; nothing on a machine alone.
    public nonisolated func catchUp() async throws(StoreError) {
        guard log is any SharedActionLog else { return }
        while true {
            let level: Result<Bool, StoreError> = await withCheckedContinuation { continuation in
                let call = Call.task { store in
                    store.commit()
                    continuation.resume(returning: Result { () throws(StoreError) in try store.followSome() })
                }
                signal(inbox.add(call, cost: Limits.sliceCostMax)) { continuation.resume(returning: .failure($0)) }
            }
            if try level.get() { return }
        }
    }
}
