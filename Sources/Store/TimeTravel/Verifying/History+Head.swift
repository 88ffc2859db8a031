public import Records
import Reducing
public import StoreRuntime
import Values

extension History {
    /// Where the log ends now, and what it comes to; takes as long as the state is large.
    ///
    /// - Throws: `queryBusy`, `stopping`, and `compacted` when the log was compacted meanwhile.
    public func anchoredHead() async throws(StoreError) -> AnchoredHead { try await anchor(at: nil) }

    /// The same of a record that is not the last any more.
    public func anchoredHead(at sequence: UInt64) async throws(StoreError) -> AnchoredHead { try await anchor(at: sequence) }

    private func anchor(at sequence: UInt64?) async throws(StoreError) -> AnchoredHead {
        try await query(.long) { (queries) async throws(StoreError) in
            let past = try await self.past(at: sequence ?? self.head, queries)
            let chain = try StoreError.reading { () throws(ActionLogError) in try self.log.checksum(of: past.sequence) }
            guard let chain else { throw .compacted }
            return AnchoredHead(
                sequence: past.sequence, chain: chain, digest: await self.loader.digest(of: past.state),
                redactions: past.redactions)
        }
    }
}
