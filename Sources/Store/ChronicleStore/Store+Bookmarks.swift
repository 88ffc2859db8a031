public import Chronicle
public import ChronicleLog

extension Store {
    /// Sets, moves or removes a bookmark, and waits until that is on disk.
    /// - Parameters:
    ///   - bookmark: a valid name, and a sequence that is in the log.
    ///   - isOfOwner: whether the limit of one uid applies; `false` for an administrator.
    /// - Throws: `.tooManyBookmarks`, `.unknownBookmark`; `.readOnly`, `.storageFull`, `.busy`, `.stopping`.
    @discardableResult
    public nonisolated func set(
        _ bookmark: Bookmark, by uid: UInt32, isOfOwner: Bool = false
    ) async throws(StoreError) -> DispatchResult<App.Command> {
        try await perform(for: uid, exclusive: true) { store throws(StoreError) in
            try store.stagedLog.accept(bookmark, by: uid, isOfOwner: isOfOwner)
        }
    }
}
