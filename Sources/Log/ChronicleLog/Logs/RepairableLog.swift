/// An exclusively opened log whose rows can be rebuilt from its records.
///
/// The process may end after each of these changes: the log can be repaired again.
public protocol RepairableLog: ActionLog {
    /// The open commands and bookmarks whose rows are as they were written, and the number of damaged rows.
    func legibleRows() throws(ActionLogError) -> (outbox: [OutboxRow], bookmarks: [BookmarkRow], illegible: Int)

    /// Replaces the open commands, the bookmarks and the head row in one transaction.
    func put(_ rows: DerivedRows, head: Head) throws(ActionLogError)

    /// Removes the unreadable rows of keys, and those that a closure finds wrong; returns their number.
    func removeKeys(where isWrong: (KeyPlace, KeyRow) throws(ActionLogError) -> Bool) throws(ActionLogError) -> Int

    /// Adds missing rows of keys.
    func put(_ keys: [DerivedRows.KeyRun]) throws(ActionLogError)
}
