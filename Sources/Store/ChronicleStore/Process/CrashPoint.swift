/// A point at which a test kills the process.
public enum CrashPoint: String, Sendable, CaseIterable {
    /// Before a dispatch is accepted.
    case beforeAccept = "before-accept"
    /// After the actions are folded, before the commit.
    case beforeCommit = "before-commit"
    /// After the commit, before any answer.
    case afterCommit = "after-commit"
    /// After the commit of a command's end, before any answer.
    case afterEndCommit = "after-end-commit"
    /// After the answer to the client that requested a command, before its attempt is marked as started.
    case beforeCommandStart = "before-command-start"
    /// After the mark, before the target is called.
    case beforeTarget = "before-target"
    /// After the target's work, before its result reaches the store.
    case afterTarget = "after-target"
    /// After the archive of a compaction is on disk, before the log is changed.
    case afterArchive = "after-archive"
}
