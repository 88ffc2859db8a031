/// A log of which what stands beside the records can be made anew from them, while nobody has it.
///
/// Each of these changes leaves a log that can be repaired further: the process may end behind any.
public protocol RepairableLog: ActionLog {
    /// The open commands and bookmarks whose rows are as they were written, and the number of damaged rows.
    func legibleRows() throws(ActionLogError) -> (outbox: [OutboxRow], bookmarks: [BookmarkRow], illegible: Int)

    /// Puts others in the place of the open commands and bookmarks, and a head in the place of the head row, in one transaction.
    func put(_ rows: DerivedRows, head: Head) throws(ActionLogError)

    /// Removes the rows of keys that can't be read, and those that a closure finds wrong; gives how many.
    func removeKeys(where isWrong: (KeyPlace, KeyRow) throws(ActionLogError) -> Bool) throws(ActionLogError) -> Int

    /// Puts rows of keys that are not there.
    func put(_ keys: [DerivedRows.KeyRun]) throws(ActionLogError)
}
