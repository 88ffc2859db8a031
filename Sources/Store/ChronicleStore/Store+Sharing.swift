import Chronicle
import ChronicleLog
import Synchronization

/// Whether this machine follows the records of other machines, and the listener for that.
struct FollowState: Sendable {
    /// The reason why it does not; `nil` if it does, as far as known.
    var obstacle: String?
    var listener: (@Sendable (String?) -> Void)?
}

// A log that several machines share. Calls are decided on this machine's copy, and the commit detects newer records of other machines.
// These are then folded, and all calls are decided again.
extension Store {
    typealias Judgement = @Sendable (isolated Store) throws(StoreError) -> DispatchResult<App.Command>

    /// Whether other machines append to the log: decisions must then be repeatable.
    @inline(__always)
    var isShared: Bool { stagedLog.shared != nil }

    // Functions, because the compiler crashes on such closures within a method.
    static func judgement(of dispatch: Dispatch<App.Action>) -> Judgement {
        { store throws(StoreError) in try store.stageDispatch(dispatch) }
    }

    static func judgement(of order: CommandOrder<App.Action>) -> Judgement {
        { store throws(StoreError) in try store.stageCommandOrder(order) }
    }

    /// Notifies the store of possible appends by other machines; callable from any thread and any number of times, does not block.
    public nonisolated func followOthers() {
        guard !hasNews.isSet.exchange(true, ordering: .acquiringAndReleasing) else { return }
        let entry = inbox.add(.task { $0.takeNews() }, cost: Limits.sliceCostMax)
        Self.signal(thread, entry) { _ in hasNews.isSet.store(false, ordering: .releasing) }
    }

    private func takeNews() {
        hasNews.isSet.store(false, ordering: .releasing)
        commit()
        // An unreachable log is tried again at the next notification; an error here has been noted.
        let isLevel = (try? followSome()) ?? true
        if !isLevel { followOthers() }
    }

    /// Checks that answers without records were decided on the newest state.
    func readIndex(until deadline: UInt64) -> ActionLogError? {
        guard let shared = stagedLog.shared else { return nil }
        do throws(ActionLogError) { try shared.readIndex(until: deadline) } catch { return error }
        return nil
    }

    /// Decides and commits again until that succeeds or can't succeed.
    func commitAnew(after error: ActionLogError, until deadline: UInt64) -> ActionLogError? {
        switch error {
        case .othersFirst: commitBehindOthers(until: deadline)
        case .flushTooLarge where stagedLog.pending.answers.count > 1: commitInHalves(until: deadline)
        default: error
        }
    }

    private func commitBehindOthers(until deadline: UInt64) -> ActionLogError? {
        for _ in 0..<Limits.othersFirstMax {
            stagedLog.rollBack(to: publisher.present)
            stagedLog.pending.dropStaged(after: log.head)
            do throws(StoreError) {
                guard try follow(pagesMax: Limits.pagesBehindMax, until: deadline) else {
                    return .unavailable(what: "this machine must catch up with the others first")
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

    /// Commits a batch that is too large in halves; a call that is too large alone is refused.
    private func commitInHalves(until deadline: UInt64) -> ActionLogError? {
        let (waiting, all) = (stagedLog.pending.answers, judgements)
        stagedLog.rollBack(to: publisher.present)
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

    /// Runs a body on the newest state, again after other machines' records for as long as it returns `nil`.
    func behindOthers<Value>(_ body: () throws(StoreError) -> Value?) throws(StoreError) -> Value {
        let deadline = stagedLog.shared?.deadlineFromNow ?? .max
        for _ in 0..<Limits.othersFirstMax {
            if let value = try body() { return value }
            guard monotonicNanoseconds() < deadline else { break }
            guard try follow(pagesMax: Limits.pagesBehindMax, until: deadline) else {
                throw .unavailable("this machine must catch up with the others first")
            }
        }
        throw .unavailable("other machines keep writing to the log first")
    }

    /// Folds and publishes appends of other machines, page by page until a deadline; nothing is staged.
    /// - Returns: whether all have been folded.
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
                    showStaged()
                case .redacted(let first): try foldAnew(from: first)
                }
                (untaken, stagedLog.obstacle) = (nil, nil)
            } catch {
                stagedLog.obstacle = error
                if error == .queryBusy {
                    // It is in the copy and is read once a reader slot is free.
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

    private func followSome() throws(StoreError) -> Bool {
        try follow(pagesMax: Limits.newsPagesMax, until: stagedLog.shared?.deadlineFromNow ?? .max)
    }

    /// The next event of other machines: one that could not be read yet, or a new one.
    private func next(of shared: any SharedActionLog, until deadline: UInt64) throws(StoreError) -> ReplicationEvent? {
        if let untaken {
            shared.waitForReaders()
            return untaken
        }
        do throws(ActionLogError) { return try shared.follow(until: deadline) } catch {
            switch error {
            // The error concerns other machines or is temporary.
            case .unavailable, .inDoubt, .othersFirst, .readersFull: break
            case .unknownOutcome(let what):
                note(obstacle: "\(error)")
                options.onUnknownOutcome(what)
            // Nothing was folded, so following continues if the cause is removed.
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
        return "the changes of other machines can't be read: \(what)"
    }

    /// Records why following has failed, or that it works, and notifies the listener of a change.
    func note(obstacle: String?) {
        let listener = following.withLock { following -> (@Sendable (String?) -> Void)? in
            guard following.obstacle != obstacle else { return nil }
            following.obstacle = obstacle
            return following.listener
        }
        listener?(obstacle)
    }

    /// The reason why this machine can't follow other machines, as a sentence; `nil` if it can, as far as known.
    public nonisolated var followingObstacle: String? { following.withLock { $0.obstacle } }

    /// Sets a listener that is called on the store's thread when `followingObstacle` changes.
    public nonisolated func listenToFollowing(_ listener: @escaping @Sendable (String?) -> Void) {
        following.withLock { $0.listener = listener }
    }

    /// Folds the whole log again after a redaction.
    private func foldAnew(from first: UInt64) throws(StoreError) {
        snapshots?.removeAll(from: first)
        try stagedLog.foldAnew(initial: initial)
        showStaged()
        // Again, because a snapshot may have been written in between.
        snapshots?.removeAll(from: first)
        onRedaction.withLock { $0 }?()
    }

    /// Sets a listener that is called on the store's thread after a redaction by another machine.
    public nonisolated func listenToRedactions(_ listener: @escaping @Sendable () -> Void) {
        onRedaction.withLock { $0 = listener }
    }

    private func showStaged() {
        stagedLog.noteCommitted()
        stagedLog.pending.dropStaged(after: log.head)
        statistics.note(stagedLog.outbox)
        publisher.publish(stagedLog.staged)
        tellOfCommands()
        if let snapshots { snapshots.offer(at: stagedLog.staged.sequence) { (stagedLog.staged, log.head) } }
    }

    /// Folds all records that other machines have appended; returns at once if the log is not shared.
    public nonisolated func catchUp() async throws(StoreError) {
        guard log is any SharedActionLog else { return }
        while true {
            let level = try await run(.inOrder) { store in Result { () throws(StoreError) in try store.followSome() } }
            if try level.get() { return }
        }
    }
}
