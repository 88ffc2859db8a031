public import Records
public import Reducing

extension Store {
    /// Sets a bookmark, moves the one of that name, or takes it away, and waits until that is on disk.
    ///
    /// - Parameters:
    ///   - bookmark: a name that the caller has checked, and a sequence that is in the log.
    ///   - uid: who sets it.
    ///   - isOfOwner: whether the limit of one uid applies; `false` if the uid may administer.
    /// - Throws: `.tooManyBookmarks` for a further name, `.unknownBookmark` when there is none to take away; `.readOnly`, `.storageFull`,
    ///   `.busy`, `.stopping`.
    @discardableResult
    public nonisolated func set(
        _ bookmark: Bookmark, by uid: UInt32, isOfOwner: Bool = false
    ) async throws(StoreError) -> Acknowledgement<App.Command> {
        try await perform(for: uid, exclusive: true) { store throws(StoreError) in
            try store.stagedLog.accept(bookmark, by: uid, isOfOwner: isOfOwner)
        }
    }
}
