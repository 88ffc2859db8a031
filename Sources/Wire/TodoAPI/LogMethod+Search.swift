extension LogMethod {
    /// UTF-8 bytes of a text that a log is searched for; none that a feature keeps is longer.
    public static let searchBytesMax = 65_536
}
