extension LogMethod {
    /// UTF-8 bytes of a text that a log is searched for; none that a feature keeps is longer.
    public static let searchBytesMax = 65_536
}

extension ActivityMethod {
    /// Stretches of time into which a piece of history is divided.
    public static let bucketsMax: UInt64 = 1_000
}

extension RedactTextsMethod {
    /// Records that texts are taken out of at once.
    ///
    /// For each call the daemon folds all that came behind the first of them, so many small ones would take time as the square of the log. They are changed in one transaction, for which dispatches wait.
    public static let sequencesMax = 4_096
}

extension LockMethod {
    /// UTF-8 bytes of a reason; a test holds it to what a log keeps.
    public static let reasonBytesMax = 1_024
}

extension SetInvariantMethod {
    /// UTF-8 bytes of a name; a test holds it to what a log keeps.
    public static let nameBytesMax = 64
    /// UTF-8 bytes of a condition; a test holds it to what a log keeps.
    public static let expressionBytesMax = 512
}

extension SetSubscriptionMethod {
    /// UTF-8 bytes of a condition; a test holds it to what a log keeps.
    public static let whereBytesMax = 512
}

extension UndoMethod {
    /// Steps that are taken back, or done again, at once; a test holds it to what is looked for.
    public static let stepsMax = 1_000
}

extension CompactMethod {
    /// The greatest age of keys to be forgotten: a hundred years.
    public static let forgetKeysDaysMax: UInt64 = 36_525
}
