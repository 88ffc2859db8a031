import ChronicleLog
import ChronicleValues
import CMachine
public import Etcd
import Synchronization

extension ReplicatedActionLog {
    /// The lease's time to live, in seconds.
    static let leaseSeconds: Int64 = 10
    /// How much earlier the runner stops by its own clock, in nanoseconds.
    static let leaseMargin: UInt64 = 2_000_000_000
    static let keepAlivePause = Duration.seconds(2)
    static let leadPause = Duration.seconds(1)

    /// Runs a body as long as this machine holds the runner's lease, each time it gets it, until the task is cancelled.
    ///
    /// The body is cancelled before another machine can become the runner. Its appends are refused afterwards: each compares the
    /// creation revision of the runner's key.
    public func runWhileLeader(_ body: @escaping @Sendable () async -> Void) async {
        while !Task.isCancelled {
            if let term = await win() { await hold(term, body) }
            try? await Task.sleep(for: Self.leadPause)
        }
    }

    struct Term {
        var lease: Int64
        var fence: Int64
        /// Its guaranteed end on the monotonic clock.
        var until: UInt64
    }

    /// Acquires the lease of the command runner if it is free.
    func win() async -> Term? {
        do throws(EtcdError) {
            // A grant is written to the disks of all members. A read is not.
            guard !state.withLock(\.isBarred), try await isFree() else { return nil }
            let asked = monotonic_nanoseconds()
            let lease = try await client.answer(to: .grantLease(seconds: Self.leaseSeconds))
            let taking = EtcdTransaction(
                if: [.createRevision(of: keys.leader, 0)], then: [.put(keys.leader, Array(node.utf8), lease: lease.id)])
            if let answer = try? await client.answer(to: .transaction(taking)), answer.hasSucceeded {
                state.withLock { $0.hasLed = true }
                return Term(lease: lease.id, fence: answer.revision, until: Self.end(of: lease, asked: asked))
            }
            // After an error the key may have been written. It disappears with its lease.
            try await client.answer(to: EtcdCall<Void>.revoke(lease: lease.id))
            return nil
        } catch {
            return nil
        }
    }

    /// Whether there is no runner; the key of a dead process of this copy is deleted, so that commands need not wait for the end of its lease.
    private func isFree() async throws(EtcdError) -> Bool {
        let own = keys.node(node)
        let looking = EtcdTransaction(then: [.range(EtcdRange(keys.leader)), .range(EtcdRange(own))])
        let found = try await client.answer(to: .transaction(looking)).entries
        guard found.count == 2 else { throw .unreadable("kv/txn") }
        guard let holder = found[0].first else { return true }
        guard let said = found[1].first, isOfEarlierProcess(holder, said) else { return false }
        let freeing = EtcdTransaction(
            if: [.createRevision(of: keys.leader, holder.createRevision), .value(of: own, said.value)],
            then: [.delete(EtcdRange(keys.leader))])
        return try await client.answer(to: .transaction(freeing)).hasSucceeded
    }

    /// Whether the holder was an earlier process of this copy; a copy is open in one process only, and its name is unique.
    private func isOfEarlierProcess(_ holder: EtcdEntry, _ said: EtcdEntry) -> Bool {
        guard holder.value == Array(node.utf8), state.withLock({ !$0.hasLed }), let place = copy.place else { return false }
        return place.copyID != 0 && (try? SharedNode(canonical: said.value))?.copyID == place.copyID
    }

    private func hold(_ term: Term, _ body: @escaping @Sendable () async -> Void) async {
        state.withLock { ($0.fence, $0.leadsUntil) = (term.fence, term.until) }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await body() }
            group.addTask { await self.keepAlive(term) }
            group.addTask { await self.outlast() }
            await group.next()
            group.cancelAll()
        }
        loseFence(term.fence)
        // If it can't be revoked it expires.
        try? await client.answer(to: EtcdCall<Void>.revoke(lease: term.lease))
    }

    /// Returns at the guaranteed end of the lease, even if a member has not answered.
    private func outlast() async {
        while !Task.isCancelled {
            let (now, until) = (monotonic_nanoseconds(), state.withLock { $0.leadsUntil })
            guard now < until else { return }
            try? await Task.sleep(for: .nanoseconds(until - now))
        }
    }

    private func keepAlive(_ term: Term) async {
        var pause = Self.keepAlivePause
        while state.withLock({ $0.fence }) == term.fence, (try? await Task.sleep(for: pause)) != nil {
            let asked = monotonic_nanoseconds()
            do throws(EtcdError) {
                let lease = try await client.answer(to: .keepAlive(lease: term.lease))
                // A missing lease is no error.
                guard lease.seconds > 0, try await isHeld(term) else { return }
                state.withLock { $0.leadsUntil = Self.end(of: lease, asked: asked) }
                pause = Self.keepAlivePause
            } catch {
                // Another member may answer in time.
                pause = Self.watchPause
            }
        }
    }

    /// Whether this machine is still the runner.
    ///
    /// Uses a transaction, as the runner's appends do. Otherwise a machine whose transactions fail would keep the lease, and no
    /// machine would run the commands.
    private func isHeld(_ term: Term) async throws(EtcdError) -> Bool {
        guard !state.withLock(\.isBarred) else { return false }
        // A member answers a transaction without operations from its own data, which may be stale.
        let looking = EtcdTransaction(
            if: [.createRevision(of: keys.leader, term.fence)], then: [.range(EtcdRange(keys.leader))])
        return try await client.answer(to: .transaction(looking)).hasSucceeded
    }

    /// The guaranteed end of a lease: at most the requested time after the request.
    private static func end(of lease: EtcdLease, asked: UInt64) -> UInt64 {
        asked + UInt64(min(lease.seconds, leaseSeconds)) * 1_000_000_000 - leaseMargin
    }

    private static let trimInterval = Duration.seconds(60)
    /// Keys per deletion: with more of them, a member does not answer for a noticeable time.
    static let trimmedKeysMax: UInt64 = 1_000
    /// Pause between deletions, for appends.
    static let trimPause = Duration.milliseconds(20)
    /// Maximum number of deletions that fail because a machine reported in between; the rest is left to the next trim.
    static let overtakenMax = 10
    /// Revisions after which the members compact although nothing was removed: each append overwrites the head.
    static let compactedRevisions: Int64 = 10_000

    func trimNowAndThen() async {
        while (try? await Task.sleep(for: Self.trimInterval)) != nil {
            // The next trim repeats it.
            _ = try? await trim()
        }
    }

    /// Removes the batches that all machines have from the cluster, and has the members compact; returns the number of removed
    /// batches.
    ///
    /// Done by the machine that runs the commands, or by any machine if none does: full members grant no lease. The number of the
    /// first remaining batch is only in its key. A machine that needs an earlier batch finds the gap and reports it.
    ///
    /// Each deletion applies only if no machine has reported since the last survey, because a machine may have joined. Batches
    /// that are appended during the trim are left to the next one.
    @discardableResult
    public func trim() async throws(EtcdError) -> UInt64 {
        var survey = try await survey()
        guard let batches = survey.batches, survey.runner == nil || isLeading else { return 0 }
        let isFull = state.withLock(\.isFull)
        let bytesInUse = (try? await client.answer(to: .databaseBytesInUse)) ?? 0
        let kept = isFull || bytesInUse > trimming.databaseBytesMax ? 0 : trimming.batchesKept
        var (revision, trimmed, overtaken) = (survey.revision, UInt64(0), 0)
        while !Task.isCancelled, overtaken < Self.overtakenMax, let first = survey.firstBatch {
            let last = lastTrimmed(of: batches, survey, keeping: kept)
            guard first <= last else { break }
            let next = min(first + Self.trimmedKeysMax, last + 1)
            let removing = EtcdTransaction(
                if: [.unwritten(EtcdRange(allWith: keys.nodes), since: survey.revision)],
                then: [.delete(EtcdRange(keys.batch(first), upTo: keys.batch(next)))])
            let answer = try await client.answer(to: .transaction(removing))
            if answer.hasSucceeded { (trimmed, revision) = (trimmed + next - first, answer.revision) } else { overtaken += 1 }
            try? await Task.sleep(for: Self.trimPause)
            guard let current = try? await self.survey() else { break }
            survey = current
        }
        try await compact(through: revision, evenIfRecent: trimmed > 0 || isFull)
        return trimmed
    }

    /// The last batch that no machine needs: all have it except those that were away for too long, and enough batches follow it.
    private func lastTrimmed(of batches: UInt64, _ survey: SharedLogSurvey, keeping kept: UInt64) -> UInt64 {
        let away = away(among: survey.nodes)
        // A machine that lacks removed batches needs a backup, so it does not need the batches after them.
        let needed = max(survey.firstBatch ?? 0, 1) - 1
        let present = survey.nodes.filter { $0.name != node && $0.batches >= needed && !away.contains($0.name) }
        let lowest = present.map(\.batches).reduce(min(copy.place?.number ?? 0, batches), min)
        // Redacted payloads are in the batches before the redaction.
        return min(lowest, max(copy.place?.redaction ?? 0, batches - min(batches, kept)))
    }

    /// The machines that were silent for too long, both by their last report and by this machine's clock.
    private func away(among nodes: [SharedNode]) -> Set<String> {
        let (now, ticks) = (wall_microseconds(), monotonic_nanoseconds())
        return state.withLock { state in
            let before = state.heard
            state.heard = [:]
            var away: Set<String> = []
            for node in nodes {
                var since = ticks
                if let last = before[node.name], last.revision == node.revision { since = last.since }
                state.heard[node.name] = (node.revision, since)
                let silence = Duration.nanoseconds(ticks - since)
                // A report from the future would keep a dead machine alive. It is unknown which clock is wrong, so its time is
                // not used.
                let isAway = node.time > now ? silence >= trimming.awayMax : node.isAway(longerThan: trimming.awayMax, at: now)
                if silence >= trimming.silenceMin, isAway { away.insert(node.name) }
            }
            return away
        }
    }

    private func compact(through revision: Int64, evenIfRecent isNeeded: Bool) async throws(EtcdError) {
        guard isNeeded || revision - state.withLock(\.compactedRevision) >= Self.compactedRevisions else { return }
        do throws(EtcdError) { try await client.answer(to: EtcdCall<Void>.compact(through: revision)) } catch {
            // Another machine or an operator was first.
            guard case .refused(.compacted, _) = error else { throw error }
        }
        state.withLock { $0.compactedRevision = revision }
    }
}

/// How much of a shared log the cluster keeps for machines that lag.
public struct SharedLogTrimming: Sendable {
    /// Number of batches that are kept although all machines have them, so that a new machine finds them.
    public var batchesKept: UInt64
    /// No batches are kept for a machine whose last report is older than this; it needs a backup of another machine.
    public var awayMax: Duration
    /// Required silence by the clock of the trimming machine, because clocks of machines differ.
    public var silenceMin: Duration
    /// Size in use at a member, in bytes, above which only batches that a machine lacks are kept, as in full members.
    public var databaseBytesMax: Int64

    public init(
        batchesKept: UInt64 = 100_000, awayMax: Duration = .seconds(7 * 86_400), silenceMin: Duration = .seconds(3_600),
        databaseBytesMax: Int64 = 2 << 30
    ) {
        (self.batchesKept, self.awayMax, self.silenceMin) = (batchesKept, awayMax, silenceMin)
        self.databaseBytesMax = databaseBytesMax
    }
}
