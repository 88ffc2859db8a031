/// What a caller must be allowed to do at the socket to call a method.
public enum MethodRight: String, Sendable, CaseIterable {
    /// To read the state, the log, and how the daemon is.
    case read = "r"
    /// To dispatch actions, take them back, and decide about single commands.
    case write = "w"
    /// To change what was recorded or how the daemon works, and to write files for it.
    case administer = "a"

    /// The right that each method of our interfaces needs.
    ///
    /// A method that is not here is not answered.
    public static let needed: [String: MethodRight] = [
        DispatchMethod.name: .write,
        OpenMethod.name: .write,
        GetStateMethod.name: .read,
        ViewMethod.name: .read,
        SubscribeMethod.name: .read,

        LogMethod.name: .read,
        SetBookmarkMethod.name: .write,
        RemoveBookmarkMethod.name: .write,
        BookmarksMethod.name: .read,
        DiffMethod.name: .read,
        WhyMethod.name: .read,
        BisectMethod.name: .read,
        BlameMethod.name: .read,
        CheckMethod.name: .read,
        WhatIfMethod.name: .read,
        UndoMethod.name: .write,
        RedoMethod.name: .write,
        RevertMethod.name: .write,
        ExportMethod.name: .read,
        UploadMethod.name: .administer,
        // What is imported keeps the uids that it came with, so whoever imports can bring in deeds of anybody.
        ImportMethod.name: .administer,
        CompactMethod.name: .administer,

        StatusMethod.name: .read,
        // Who is there, and what they do, is not for everybody.
        ClientsMethod.name: .administer,
        PingMethod.name: .read,
        MetricsMethod.name: .read,
        VerifyMethod.name: .read,
        CommandsMethod.name: .read,
        RetryCommandMethod.name: .write,
        SkipCommandMethod.name: .write,
        CancelCommandMethod.name: .write,
        HoldMethod.name: .administer,
        ReleaseMethod.name: .administer,
        DebugMethod.name: .administer,
        DebugTailMethod.name: .read,
        RedactMethod.name: .administer,
        BackupMethod.name: .administer,
    ]
}
