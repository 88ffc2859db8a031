import Chronicle
public import ChronicleLog
public import ChronicleStore

extension History {
    /// The end of the log and its digest; takes time in proportion to the size of the state.
    /// - Throws: `queryBusy`, `stopping`, and `compacted` after a concurrent compaction.
    public func anchoredHead() async throws(StoreError) -> HeadCheckpoint {
        try await query(.long) { (queries) async throws(StoreError) in
            let past = try await self.past(at: self.head, queries)
            let chain = try StoreError.reading { () throws(ActionLogError) in try self.log.checksum(of: past.sequence) }
            guard let chain else { throw .compacted }
            return HeadCheckpoint(
                sequence: past.sequence, chain: chain, digest: await self.loader.digest(of: past.state),
                redactions: past.redactions)
        }
    }
}
