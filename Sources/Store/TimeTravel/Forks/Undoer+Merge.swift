public import Chronicle
import ChronicleLog
public import ChronicleStore

extension Undoer {
    /// Merges a fork into the present, as one step.
    ///
    /// Changes of both logs to the same value are conflicts. New ids are renumbered if needed. Earlier merges are not repeated.
    /// - Parameters:
    ///   - insists: whether conflicts are resolved in favor of the fork.
    ///   - expectedOutcome: the outcome of a dry run.
    /// - Throws: `badFork`, `conflict`; `pruned` if the log was compacted past the last shared record.
    public func merge(
        _ fork: ForkRecords<App>, origin: UInt32, insists: Bool = false, key: String? = nil, expectedOutcome: UInt64? = nil,
        isDryRun: Bool = false
    ) async throws(StoreError) -> Undone<App.Command> {
        let digest = Self.digest(of: fork, insists: insists)
        return try await unovertaken(origin, isDryRun) { () async throws(StoreError) in
            let redactions = history.redactions
            if let first = try await earlierAnswer(to: key, of: origin, digest: digest) { return first }
            let present = store.present
            let merge = try await history.merge(of: fork, into: present)
            if let merge, !insists, !merge.conflicts.isEmpty { throw .conflict(merge.conflicts) }
            let reversion = try await history.reversion(from: present.state, to: merge?.wanted ?? present.state)
            let compensation = Compensation<App>(
                origin: origin, key: key, digest: digest, cancelling: .these([]), through: present.sequence,
                redactions: redactions, expectedOutcome: expectedOutcome,
                purpose: isDryRun ? .dryRun : .log
            ) { before, now throws(StoreError) in
                let actions = try reversion.decide(before, now)
                return actions.isEmpty ? [] : [.init(undoes: nil, merges: merge?.mark, actions: actions)]
            }
            let answer = try await store.compensate(compensation)
            return Undone(answer: answer, step: answer.sequences.isEmpty ? 0 : answer.sequences.lowerBound)
        }
    }

    private static func digest(of fork: ForkRecords<App>, insists: Bool) -> UInt64 {
        var writer = CanonicalWriter()
        writer.field(1, fork.epoch)
        writer.field(2, fork.point)
        writer.field(3, fork.last)
        writer.field(4, fork.lastChain)
        writer.field(5, insists)
        return Checksum.of(writer.bytes.span.bytes)
    }
}
