import CMachine
import Etcd
import Records
import Synchronization
import Values

extension ReplicatedActionLog {
    /// How long a machine runs commands without a word of the cluster, in seconds.
    static let leaseSeconds: Int64 = 10
    /// How much earlier it stops by its own clock, in nanoseconds.
    static let leaseMargin: UInt64 = 2_000_000_000
    /// How often it says that it is there.
    static let keepAlivePause = Duration.seconds(2)
    /// How often another one tries to take its place.
    static let leadPause = Duration.seconds(1)

    /// Runs a body whenever this machine is the one that runs commands, for as long as it is, until the task is cancelled.
    ///
    /// The body is cancelled before another machine can take its place. Should it go on all the same, whatever its runner says is
    /// refused, because the cluster compares in every such append when the place was taken.
    public func leading(_ body: @escaping @Sendable () async -> Void) async {
        while !Task.isCancelled {
            if let term = await win() { await hold(term, body) }
            try? await Task.sleep(for: Self.leadPause)
        }
    }

    struct Term {
        var lease: Int64
        var fence: Int64
        /// Until when it lasts at least, on the monotonic clock.
        var until: UInt64
    }

    /// Takes the place of the one that runs the commands, if it is free.
    func win() async -> Term? {
        do throws(EtcdError) {
            // A lease is written to the disks of all members, and a look is not.
            guard !state.withLock(\.isBarred), try await isFree() else { return nil }
            let asked = monotonic_nanoseconds()
            let lease = try await client.answer(to: .grantLease(seconds: Self.leaseSeconds))
            let taking = EtcdTransaction(
                if: [.createRevision(of: keys.leader, 0)], then: [.put(keys.leader, Array(node.utf8), lease: lease.id)])
            do throws(EtcdError) {
                let answer = try await client.answer(to: .transaction(taking))
                if answer.hasSucceeded {
                    state.withLock { $0.hasLed = true }
                    return Term(lease: lease.id, fence: answer.revision, until: Self.end(of: lease, asked: asked))
                }
            } catch {
                // Whether the place was taken is not known; without its lease it is free again.
                try await client.answer(to: EtcdCall<Void>.revoke(lease: lease.id))
                return nil
            }
            try await client.answer(to: EtcdCall<Void>.revoke(lease: lease.id))
            return nil
        } catch {
            return nil
        }
    }

    /// Whether nobody has the place, or nobody any more: that of an earlier process of this copy, which is dead, is given up for it, and
    /// commands need not wait for the end of its lease.
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

    /// Whether it was the process that had this copy before: no two have one at the same time, and no other copy has its name.
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
        // A lease that can't be ended now ends by itself.
        try? await client.answer(to: EtcdCall<Void>.revoke(lease: term.lease))
    }

    /// Returns once the time is over for which the place is this machine's, however long a member takes to answer.
    private func outlast() async {
        while !Task.isCancelled {
            let (now, until) = (monotonic_nanoseconds(), state.withLock { $0.leadsUntil })
            guard now < until else { return }
            try? await Task.sleep(for: .nanoseconds(until - now))
        }
    }

    /// Has the place stay this machine's; returns once it is another's.
    private func keepAlive(_ term: Term) async {
        var pause = Self.keepAlivePause
        while state.withLock({ $0.fence }) == term.fence, (try? await Task.sleep(for: pause)) != nil {
            let asked = monotonic_nanoseconds()
            do throws(EtcdError) {
                let lease = try await client.answer(to: .keepAlive(lease: term.lease))
                // That it is gone is no error.
                guard lease.seconds > 0, try await isHeld(term) else { return }
                state.withLock { $0.leadsUntil = Self.end(of: lease, asked: asked) }
                pause = Self.keepAlivePause
            } catch {
                // Another member may answer before the time is over.
                pause = Self.watchPause
            }
        }
    }

    /// Whether the place is this machine's: asked in the way in which its runner speaks, or a machine of which no transaction comes through
    /// would keep the place with its lease, and nobody would run the commands.
    private func isHeld(_ term: Term) async throws(EtcdError) -> Bool {
        guard !state.withLock(\.isBarred) else { return false }
        // A member may answer by itself what finds nothing, and not by the order of all.
        let looking = EtcdTransaction(
            if: [.createRevision(of: keys.leader, term.fence)], then: [.range(EtcdRange(keys.leader))])
        return try await client.answer(to: .transaction(looking)).hasSucceeded
    }

    /// A member that promises more than it was asked for is not believed.
    private static func end(of lease: EtcdLease, asked: UInt64) -> UInt64 {
        asked + UInt64(min(lease.seconds, leaseSeconds)) * 1_000_000_000 - leaseMargin
    }
}
