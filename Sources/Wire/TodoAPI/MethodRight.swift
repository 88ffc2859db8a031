/// What a caller must be allowed to do at the socket to call a method.
public enum MethodRight: String, Sendable, CaseIterable {
    /// To read the state, the log, and how the daemon is.
    case read = "r"
    /// To dispatch actions, take them back, and decide about single commands.
    case write = "w"
    /// To change what was recorded or how the daemon works, and to write files for it.
    case administer = "a"
}
