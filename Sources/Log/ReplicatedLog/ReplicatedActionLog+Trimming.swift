import CMachine
public import Etcd
import Records
import Synchronization

/// How much of a shared log the cluster keeps for machines that are behind.
public struct SharedLogTrimming: Sendable, Equatable {
    /// How many batches are kept although all machines have them, so that a new one finds them.
    public var batchesKept: UInt64
    /// Nothing is kept for a machine that was silent for longer than this: it begins with a backup of another.
    public var awayMax: Duration
    /// How long nothing was heard of it by the clock of the one that trims besides: the clocks of machines differ, and each says once a
    /// minute that it is there.
    public var silenceMin: Duration

    public init(
        batchesKept: UInt64 = 100_000, awayMax: Duration = .seconds(7 * 86_400), silenceMin: Duration = .seconds(3_600)
    ) {
        self.batchesKept = batchesKept
        self.awayMax = awayMax
        self.silenceMin = silenceMin
    }
}

extension ReplicatedActionLog {
    /// Bytes in use at a member above which only the batches are kept that a machine lacks.
    private static let databaseBytesMax: Int64 = 2 << 30
    /// How often the log is trimmed.
    private static let trimInterval = Duration.seconds(60)
    /// Keys that are deleted at once: more of them keep a member from answering for long.
    static let trimmedKeysMax: UInt64 = 1_000
    /// How long appends have the members to themselves between two such deletions.
    static let trimPause = Duration.milliseconds(20)
    /// How often a machine may say how far it is between a look at all of them and a deletion, before that is left for another time.
    static let outrunMax = 10
    /// Changes of keys after which the members are told to forget what keys were before; each append changes the head.
    static let compactedRevisions: Int64 = 10_000
    /// A database of less is not made smaller, in bytes.
    static let defragmentedBytesMin: Int64 = 64 << 20

    func trimNowAndThen() async {
        while (try? await Task.sleep(for: Self.trimInterval)) != nil {
            // What could not be done now is found to be done next time.
            _ = try? await trim()
        }
    }

    /// Removes from the cluster what all machines have, has the members forget it, and makes their databases smaller.
    ///
    /// One machine does it: the one that runs the commands, or any while none can, as it is where members have no space left. Which batch
    /// is the first that is left stands nowhere but in the keys: a machine that needs an earlier one finds a gap, and says so.
    ///
    /// - Returns: how many batches were removed.
    @discardableResult
    public func trim() async throws(EtcdError) -> UInt64 {
        let survey = await survey()
        guard let batches = survey.batches, survey.runner == nil || isLeading else { return 0 }
        let trimmed = try await removeBatches(through: batches, survey)
        try await compact(evenIf: trimmed > 0 || survey.isFull)
        do throws(EtcdError) {
            try await defragment(survey)
        } catch {
            // Not every user may, which members say with the code of an unknown error; then it is for a person, and members that are full
            // stay so.
            switch error {
            case .refused(.denied, _), .doubt: return trimmed
            default: throw error
            }
        }
        if survey.isFull { try await disarm() }
        return trimmed
    }

    /// Removes some batches after the other, each time only if no machine has said since how far it is: it may have come just now.
    ///
    /// - Parameter batches: how many there were; it ends also where others append all the time.
    private func removeBatches(through batches: UInt64, _ survey: SharedLogSurvey) async throws(EtcdError) -> UInt64 {
        var (survey, trimmed, outrun) = (survey, UInt64(0), 0)
        while !Task.isCancelled, outrun < Self.outrunMax, let first = survey.firstBatch {
            let last = min(lastTrimmed(of: batches, survey), batches)
            guard first <= last else { break }
            let next = min(first + Self.trimmedKeysMax, last + 1)
            let removing = EtcdTransaction(
                if: [.unwritten(EtcdRange(allWith: keys.nodes), since: survey.revision)],
                then: [.delete(EtcdRange(keys.batch(first), upTo: keys.batch(next)))])
            if try await client.answer(to: .transaction(removing)).hasSucceeded { trimmed += next - first } else { outrun += 1 }
            try? await Task.sleep(for: Self.trimPause)
            guard await lookAtMachines(&survey) else { break }
        }
        return trimmed
    }

    /// The last batch that nobody needs: all machines have it, but for those that were away for too long, and enough come after it.
    private func lastTrimmed(of batches: UInt64, _ survey: SharedLogSurvey) -> UInt64 {
        let away = away(among: survey.nodes)
        // A machine that lacks what is gone begins with a backup, and what comes after that is of no use to it.
        let needed = max(survey.firstBatch ?? 0, 1) - 1
        let there = survey.nodes.filter {
            $0.name != node && $0.batches >= needed && !away.contains($0.name)
        }
        let isLarge = survey.members.contains { $0.status?.databaseBytesInUse ?? 0 > Self.databaseBytesMax }
        let kept = survey.isFull || isLarge ? 0 : trimming.batchesKept
        let lowest = there.map(\.batches).reduce(copy.place?.number ?? 0, min)
        // What was taken out of records stands in what came before that.
        return min(lowest, max(copy.place?.redaction ?? 0, batches - min(batches, kept)))
    }

    /// The machines that were silent for too long, by what they said last and by this machine's own clock.
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
                // A machine whose clock was ahead, and that died, would be there for as long as that. Which of both clocks is wrong nobody
                // knows, so it is not taken at its word.
                let isAway = node.time > now ? silence >= trimming.awayMax : node.isAway(longerThan: trimming.awayMax, at: now)
                if silence >= trimming.silenceMin, isAway { away.insert(node.name) }
            }
            return away
        }
    }

    private func compact(evenIf isNeeded: Bool) async throws(EtcdError) {
        let revision = try await client.answer(to: .transaction(EtcdTransaction(then: [.range(EtcdRange(keys.founding))])))
            .revision
        let last = state.withLock { $0.compactedRevision }
        guard isNeeded || revision - last >= Self.compactedRevisions else { return }
        do throws(EtcdError) { try await client.answer(to: EtcdCall<Void>.compact(through: revision)) } catch {
            // Somebody else was first.
            guard case .refused(.compacted, _) = error else { throw error }
        }
        state.withLock { $0.compactedRevision = revision }
    }

    /// One member after the other, the leader last: a member does nothing else meanwhile, and the others go on without it.
    ///
    /// While one does not answer none has its turn, unless all are full: two that are away at once may be too many. So it is left at that when
    /// one has not said within the time of a call that it is done.
    private func defragment(_ survey: SharedLogSurvey) async throws(EtcdError) {
        var places: [(place: Int, isLeader: Bool)] = []
        for place in client.addresses.indices {
            guard let status = try? await client.answer(to: EtcdCall<EtcdMemberStatus>.status, of: place) else {
                guard survey.isFull else { return }
                continue
            }
            let isSparse =
                status.databaseBytes >= Self.defragmentedBytesMin && status.databaseBytesInUse < status.databaseBytes / 2
            if isSparse || survey.isFull { places.append((place, status.id == status.leader)) }
        }
        for (place, _) in places.sorted(by: { !$0.isLeader && $1.isLeader }) {
            do throws(EtcdError) {
                try await client.answer(to: .defragment, of: place)
                // Not before it is there again.
                _ = try await client.answer(to: .range(EtcdRange(keys.head)), of: place)
            } catch {
                guard case .away = error else { throw error }
            }
        }
    }

    private func disarm() async throws(EtcdError) {
        for alarm in try await client.answer(to: .alarms) where alarm.kind == EtcdAlarm.noSpace {
            try await client.answer(to: EtcdCall<Void>.disarm(alarm))
        }
    }
}
