/// A place at which a test lets the process die.
public enum CrashPoint: String, Sendable, CaseIterable {
    /// Before a dispatch is accepted.
    case beforeAccept = "before-accept"
    /// After the actions are folded, before the commit.
    case beforeCommit = "before-commit"
    /// After the commit, before anybody is told.
    case afterCommit = "after-commit"
    /// After the commit of a command's end, before anybody is told.
    case afterEndCommit = "after-end-commit"
    /// After the answer to who asked for a command, before its attempt is marked as begun.
    case beforeCommandStart = "before-command-start"
    /// After the mark, before the target is called.
    case beforeTarget = "before-target"
    /// After the target did its work, before its result is handed to the store.
    case afterTarget = "after-target"
    /// After the archive of a compaction is on disk, before the log is changed.
    case afterArchive = "after-archive"
}
