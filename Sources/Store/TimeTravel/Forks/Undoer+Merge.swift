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
        let call = UndoCall(
            origin: origin, key: key, digest: Self.digest(of: fork, insists: insists), expectedOutcome: expectedOutcome,
            isDryRun: isDryRun)
        return try await serialized(call) { redactions async throws(StoreError) in
            let present = store.present
            let merge = try await history.merge(of: fork, into: present)
            if let merge, !insists, !merge.conflicts.isEmpty { throw .conflict(merge.conflicts) }
            let reversion = try await history.reversion(from: present.state, to: merge?.wanted ?? present.state)
            return try await commit(
                reversion, call, merges: merge?.mark, cancelling: .these([]), through: present.sequence, redactions: redactions)
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
