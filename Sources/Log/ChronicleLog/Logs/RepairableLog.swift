/// An exclusively opened log whose rows can be rebuilt from its records.
///
/// After a crash between these changes, the log can be repaired again.
public protocol RepairableLog: ActionLog {
    /// The intact rows of open commands and bookmarks, and the number of damaged ones.
    func legibleRows() throws(ActionLogError) -> (outbox: [OutboxRow], bookmarks: [BookmarkRow], illegible: Int)

    /// Replaces the open commands, the bookmarks and the head row in one transaction.
    func put(_ rows: DerivedRows, head: Head) throws(ActionLogError)

    /// Removes the damaged rows of keys, and those for which the closure returns `true`; returns their number.
    func removeKeys(where isWrong: (KeyPlace, KeyRow) throws(ActionLogError) -> Bool) throws(ActionLogError) -> Int

    /// Adds missing rows of keys.
    func put(_ keys: [DerivedRows.KeyRun]) throws(ActionLogError)
}
