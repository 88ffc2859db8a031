import Records
public import Reducing
public import StoreRuntime
import Values

extension Undoer {
    /// Takes what happened in a fork over into the present, as one step.
    ///
    /// Others' later work stays, and what both changed is a conflict. What the fork handed out gets other ids where that is needed, and
    /// nothing is brought twice: of what was merged before, and stands, only what the fork did since.
    /// - Parameters:
    ///   - insists: whether what both changed becomes what the fork made of it.
    ///   - expectedOutcome: what a dry run said that it comes to.
    /// - Throws: `badFork`, `conflict`; `pruned` where the log was compacted beyond the moment that both share.
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
