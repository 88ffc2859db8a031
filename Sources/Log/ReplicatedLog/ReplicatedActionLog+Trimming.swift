import CMachine
import ChronicleLog
public import Etcd
import Synchronization

/// How much of a shared log the cluster keeps for machines that lag.
public struct SharedLogTrimming: Sendable {
    /// Number of batches that are kept although all machines have them, so that a new machine finds them.
    public var batchesKept: UInt64
    /// Nothing is kept for a machine whose last report is older than this: it begins with a backup of another machine.
    public var awayMax: Duration
    /// For this long, the trimming machine has seen no report of it by its own clock either, since the clocks of machines differ.
    public var silenceMin: Duration
    /// Bytes in use at a member above which only those batches are kept that a machine lacks, as in full members.
    public var databaseBytesMax: Int64

    public init(
        batchesKept: UInt64 = 100_000, awayMax: Duration = .seconds(7 * 86_400), silenceMin: Duration = .seconds(3_600),
        databaseBytesMax: Int64 = 2 << 30
    ) {
        self.batchesKept = batchesKept
        self.awayMax = awayMax
        self.silenceMin = silenceMin
        self.databaseBytesMax = databaseBytesMax
    }
}

extension ReplicatedActionLog {
    /// Time between two trims.
    private static let trimInterval = Duration.seconds(60)
    /// Keys per deletion: with more of them, a member does not answer for a noticeable time.
    static let trimmedKeysMax: UInt64 = 1_000
    /// Pause between deletions, for appends.
    static let trimPause = Duration.milliseconds(20)
    /// Deletions that fail because a machine has reported in between, until the rest is left to the next trim.
    static let overtakenMax = 10
    /// Revisions after which the members compact although nothing was removed: each append overwrites the head.
    static let compactedRevisions: Int64 = 10_000

    func trimNowAndThen() async {
        while (try? await Task.sleep(for: Self.trimInterval)) != nil {
            // If it fails, the next trim does it.
            _ = try? await trim()
        }
    }

    /// Removes the batches that all machines have from the cluster, and has the members compact.
    ///
    /// Only the machine that runs the commands does it, or any machine while none does: full members grant no lease. The number of the first
    /// remaining batch is only in its key. A machine that needs an earlier batch finds the gap and reports it.
    ///
    /// Each deletion applies only if no machine has reported since the last survey, because a machine may have joined. Batches that are
    /// appended during the trim are left to the next one.
    ///
    /// - Returns: the number of removed batches.
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
        // A machine that lacks removed batches begins with a backup. The batches after them are of no use to it.
        let needed = max(survey.firstBatch ?? 0, 1) - 1
        let present = survey.nodes.filter { $0.name != node && $0.batches >= needed && !away.contains($0.name) }
        let lowest = present.map(\.batches).reduce(min(copy.place?.number ?? 0, batches), min)
        // Redacted payloads are in the batches before the redaction.
        return min(lowest, max(copy.place?.redaction ?? 0, batches - min(batches, kept)))
    }

    /// The machines that were silent for too long, by the time in their last report and by this machine's own clock.
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
                // A report from the future would keep a dead machine alive. It is unknown which clock is wrong, so the time of such a
                // report is not used.
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
