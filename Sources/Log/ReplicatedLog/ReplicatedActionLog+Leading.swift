import CMachine
import ChronicleLog
import ChronicleValues
import Etcd
import Synchronization

extension ReplicatedActionLog {
    /// The lease's time to live, in seconds.
    static let leaseSeconds: Int64 = 10
    /// How much earlier the runner stops by its own clock, in nanoseconds.
    static let leaseMargin: UInt64 = 2_000_000_000
    /// Interval of keepalives.
    static let keepAlivePause = Duration.seconds(2)
    /// Interval at which another machine tries to become the runner.
    static let leadPause = Duration.seconds(1)

    /// Runs a body whenever and as long as this machine holds the runner's lease, until the task is cancelled.
    ///
    /// The body is cancelled before another machine can become the runner. If it goes on all the same, its appends are refused: each of them
    /// compares the creation revision of the runner's key.
    public func leading(_ body: @escaping @Sendable () async -> Void) async {
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
            // After an error it is unknown whether the place was taken. Without its lease it is free again.
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

    /// Whether the holder was an earlier process of this copy; a copy is open in one process only, and no other copy has its name.
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

    /// Returns at the guaranteed end of the lease, however long a member takes to answer.
    private func outlast() async {
        while !Task.isCancelled {
            let (now, until) = (monotonic_nanoseconds(), state.withLock { $0.leadsUntil })
            guard now < until else { return }
            try? await Task.sleep(for: .nanoseconds(until - now))
        }
    }

    /// Keeps the lease alive; returns once this machine has lost it.
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
    /// It asks by a transaction, as the runner's appends do. Otherwise a machine whose transactions fail would keep the lease, and no machine
    /// would run the commands.
    private func isHeld(_ term: Term) async throws(EtcdError) -> Bool {
        guard !state.withLock(\.isBarred) else { return false }
        // A member may answer by itself what finds nothing, and not by the order of all.
        let looking = EtcdTransaction(
            if: [.createRevision(of: keys.leader, term.fence)], then: [.range(EtcdRange(keys.leader))])
        return try await client.answer(to: .transaction(looking)).hasSucceeded
    }

    /// The guaranteed end of a lease: at most the requested time after the request.
    private static func end(of lease: EtcdLease, asked: UInt64) -> UInt64 {
        asked + UInt64(min(lease.seconds, leaseSeconds)) * 1_000_000_000 - leaseMargin
    }
}
