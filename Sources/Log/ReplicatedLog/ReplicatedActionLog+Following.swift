public import ChronicleLog
import ChronicleValues
import Etcd
import Synchronization

extension ReplicatedActionLog {
    /// Applies a page of batches to the copy, in one commit.
    public func follow(until deadline: UInt64) throws(ActionLogError) -> ReplicationEvent? {
        try resolveInDoubt(until: deadline)
        let place = try ownPlace()
        let (head, entries) = try page(behind: place, until: deadline)
        let own = try sharedHead()
        if head == own { return nil }
        guard head.isOfSameLog(as: own) else {
            throw .contradiction(
                what:
                    "\(Self.otherLog), perhaps because it was founded again, and this machine's copy ends with record \(own.sequence): "
                    + "to continue with that log, move the directory of this machine away, and restore a backup of a machine "
                    + "that follows it")
        }
        guard head.number > place.number else {
            throw .contradiction(
                // The message is the same for all batches, so that it is logged once.
                what:
                    "this machine's copy has more batches of the log than the cluster, or different ones, up to \(place.number): the "
                    + "cluster was restored to an older state")
        }
        var flush = Flush(after: copy.head)
        var next = place
        // Batches after the head are not part of the log.
        for entry in entries where next.number < head.number {
            next.number += 1
            guard entry.key == keys.batch(next.number) else { break }
            let batch: SharedBatch
            do throws(ActionLogError) { batch = try SharedBatch(sealed: entry) } catch {
                // Append the batches before it first.
                guard flush.place == nil else { break }
                throw error
            }
            guard batch.previous == next.batch else {
                throw .contradiction(
                    what:
                        "batch \(next.number) of the cluster does not follow the last batch of this machine's copy: it belongs to "
                        + "another log, or the cluster was restored to an older state")
            }
            next.batch = batch.id
            if !batch.payloads.isEmpty {
                // The redacted records must be in the copy first.
                guard flush.place == nil else { break }
                next.redaction = next.number
                try check(next, flush, against: head)
                return try redact(batch.payloads, at: next)
            }
            // Check before the append: an unreadable record in the copy would keep the machine from starting again.
            guard try entry.reading({ () throws(ActionLogError) in try batch.flush.holds(onlyActions: isAction) }) else {
                guard flush.place == nil else { break }
                throw .contradiction(
                    what: "another machine appended records after record \(copy.head.sequence) that this version can't read: "
                        + "start the version of that machine")
            }
            try entry.reading { () throws(ActionLogError) in try flush.append(batch.flush) }
            flush.place = next
        }
        guard let last = flush.place else {
            throw .contradiction(
                what:
                    "the cluster no longer has batch \(place.number + 1), which this machine needs: move its directory away, and "
                    + "restore a backup of another machine")
        }
        try check(last, flush, against: head)
        try copy.append(flush)
        return .appended(flush)
    }

    /// Before the append, rejects batches that end differently from the shared log.
    private func check(_ place: ReplicaPlace, _ flush: Flush, against head: SharedHead) throws(ActionLogError) {
        guard place.number == head.number else { return }
        let end = flush.head(after: copy.head)
        guard SharedHead(end, at: place) == head else {
            throw .contradiction(
                what: "the batches of the cluster up to \(head.number) do not match the head of the shared log")
        }
    }

    /// A compacted copy stops following at a redaction of its base, because the effects of a record can't be removed from it.
    private func redact(
        _ payloads: [(sequence: UInt64, payload: [UInt8])], at place: ReplicaPlace
    ) throws(ActionLogError) -> ReplicationEvent {
        let first = payloads.map(\.sequence).min() ?? .max
        guard first >= copy.first else {
            throw .contradiction(
                what:
                    "another machine redacted record \(first), which this copy no longer has because it was compacted: "
                    + "restore a backup of a machine whose copy was not")
        }
        for (sequence, payload) in payloads {
            let record = try copy.sealed(sequence)
            guard record.header.kind.holdsAction(payloadBytes: record.payload.count), isAction(payload) else {
                throw .contradiction(
                    what: "another machine redacted record \(sequence) in a way that this version can't read: start the version "
                        + "of that machine")
            }
        }
        try copy.redact(payloads, at: place) { () throws(ActionLogError) in }
        return .redacted(from: first)
    }

    /// Reads the head and the batches after a position, atomically.
    private func page(
        behind place: ReplicaPlace, until deadline: UInt64
    ) throws(ActionLogError) -> (head: SharedHead, entries: [EtcdEntry]) {
        var limit = 0
        func reading() -> EtcdCall<EtcdTransaction.Answer> {
            limit = state.withLock { state in
                // A page that times out may be too large.
                defer { state.pageBatches = max(1, state.pageBatches / 4) }
                return state.pageBatches
            }
            let batches = EtcdRange(keys.batch(place.number + 1), upTo: keys.batch(.max), limit: limit)
            return .transaction(EtcdTransaction(then: [.range(EtcdRange(keys.head)), .range(batches)]))
        }
        var answer: EtcdTransaction.Answer
        var turns = 0
        repeat {
            // A member without the head may belong to another cluster. The error counts only if all members agree.
            if turns > 0 { client.passOver() }
            turns += 1
            answer = try read(reading(), until: deadline)
        } while answer.entries.first?.isEmpty == true && turns < client.memberCount
        guard answer.entries.count == 2, let entry = answer.entries[0].first else { throw .contradiction(what: Self.noLog) }
        let head = try SharedHead(entry)
        if head.isOfSameLog(as: try sharedHead()), head.number >= place.number { trust(answer) }
        let entries = answer.entries[1]
        let bytes = entries.reduce(0) { $0 + $1.value.count }
        // Adapt the page to the size of this one; an empty page says nothing about sizes.
        let fitting = Self.pageBytesMax * max(entries.count, 1) / max(bytes, 1)
        let most = entries.isEmpty ? min(limit, Self.pageBatchesWhenLevel) : entries.count < limit ? limit : limit * 2
        state.withLock { $0.pageBatches = min(max(fitting, 1), most, Self.pageBatchesMax) }
        return (head, entries)
    }

    private static var pageBytesMax: Int { 4 << 20 }

    /// How often the head is read, in case the watch missed a change.
    static let lookPause = Duration.seconds(2)
    /// How long appends are refused after a read of the head that no member answered, in nanoseconds: until the next read.
    static let lookedAwayPause: UInt64 = 4_000_000_000
    static let watchPause = Duration.milliseconds(250)
    /// Pause between two notifications, so that several appends are followed together.
    ///
    /// If each machine read every single append and wrote it to its disk, the next append would wait for all of them: three machines took twice
    /// as long for one client.
    static let ringPause = Duration.milliseconds(50)

    /// Calls `onNews` when others may have appended or an append in doubt can be resolved, until the task is cancelled.
    ///
    /// A watch is only a notification: it may be late, repeated or missing. So the log is read after each one, and every two
    /// seconds without. This machine also reports its position, and trims.
    ///
    /// - Parameter obstacle: why this machine no longer follows the others, if so.
    public func run(
        obstacle: @escaping @Sendable () -> String? = { nil }, onNews: @escaping @Sendable () -> Void
    ) async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.watch(onNews) }
            group.addTask { await self.look(onNews) }
            group.addTask { await self.speak(obstacle) }
            group.addTask { await self.trimNowAndThen() }
        }
    }

    private func speak(_ obstacle: () -> String?) async {
        while !Task.isCancelled {
            tell(ofObstacle: obstacle())
            // The other loop notices that the cluster is away.
            try? await report()
            try? await Task.sleep(for: Self.lookPause)
        }
    }

    private func watch(_ onNews: @escaping @Sendable () -> Void) async {
        while !Task.isCancelled {
            do throws(EtcdError) {
                try await client.watch(keys.head) { event in
                    switch event {
                    // Something may have been appended before.
                    case .begun: onNews()
                    case .put(let entry):
                        if isNews(entry) { onNews() }
                        return true
                    }
                    return false
                }
                await ringOn(onNews)
            } catch {
                // The other loop goes on reading the head.
                try? await Task.sleep(for: Self.watchPause)
            }
        }
    }

    /// Notifies at intervals until nothing new comes; the next watch begins after that.
    private func ringOn(_ onNews: @escaping @Sendable () -> Void) async {
        var last: (appends: UInt64, batches: UInt64?)
        repeat {
            last = (state.withLock { $0.appends }, copy.place?.number)
            try? await Task.sleep(for: Self.ringPause)
            // An append of this machine itself finds out whether others appended.
            if state.withLock({ $0.appends }) == last.appends { onNews() }
        } while !Task.isCancelled && copy.place?.number != last.batches
    }

    private func look(_ onNews: @escaping @Sendable () -> Void) async {
        var round = MemberRetry(memberCount: client.memberCount)
        while !Task.isCancelled {
            if round.isOver { try? await Task.sleep(for: Self.lookPause) }
            do throws(EtcdError) {
                // A transaction, as for a dispatch: a proxy may block only transactions.
                let looking = EtcdTransaction(then: [.range(EtcdRange(keys.head)), .range(EtcdRange(allWith: keys.nodes))])
                let answer = try await client.answer(to: .transaction(looking)).entries
                guard answer.count == 2, let found = answer[0].first else { throw passOver(Self.noLog) }
                let ahead = (try? SharedHead(found)).flatMap { machineAhead(of: $0, in: answer[1]) }
                round = MemberRetry(memberCount: client.memberCount)
                note { ($0.awayUntil, $0.reach, $0.putBack) = (0, .answers, ahead) }
                if state.withLock({ $0.doubt != nil }) || isOther(found) { onNews() }
            } catch {
                round.note(error)
                guard round.isOver else { continue }
                noteAway(after: round.worst ?? error, for: Self.lookedAwayPause)
                round = MemberRetry(memberCount: client.memberCount)
            }
        }
    }

    /// Whether this machine neither has this head nor has just written it.
    func isNews(_ entry: EtcdEntry) -> Bool {
        guard let head = try? SharedHead(entry), let place = copy.place else { return true }
        return head.number > place.number && !isInFlight(head)
    }

    /// Whether the cluster's head differs from the copy's, also because the log was founded again or put back.
    private func isOther(_ entry: EtcdEntry) -> Bool {
        guard let head = try? SharedHead(entry), let own = try? sharedHead() else { return true }
        return head != own && !isInFlight(head)
    }

    private func isInFlight(_ head: SharedHead) -> Bool { head.batch == state.withLock { $0.inFlight } }
}

extension SharedHead {
    init(_ entry: EtcdEntry) throws(ActionLogError) {
        self = try entry.reading { () throws(ActionLogError) in
            do throws(CanonicalError) { return try SharedHead(canonical: entry.value) } catch {
                throw ActionLogError(row: error, sequence: 0, of: "it")
            }
        }
    }
}

extension EtcdEntry {
    /// Bytes of a key that are shown; keys of machines are shorter.
    private static let shownKeyBytesMax = 200

    /// Reads the value of the key; an unreadable value says nothing about this machine's own log, and does not prevent its start.
    func reading<Value>(_ body: () throws(ActionLogError) -> Value) throws(ActionLogError) -> Value {
        do throws(ActionLogError) { return try body() } catch {
            let name = "the key \(String(decoding: key.prefix(Self.shownKeyBytesMax), as: UTF8.self)) of the cluster"
            switch error {
            case .newerFormat(_, let what):
                throw .contradiction(what: "\(name) was written by a newer version (\(what)): start that version here as well")
            case .damaged, .undecodable: throw .contradiction(what: "\(name) has a value that no machine wrote")
            default: throw error
            }
        }
    }
}
