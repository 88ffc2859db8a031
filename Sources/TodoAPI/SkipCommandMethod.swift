/// Ends a command without doing it.
public enum SkipCommandMethod: Method {
    /// Its full name.
    public static let name = "org.todod.Admin.SkipCommand"

    /// Which one.
    public typealias Input = CommandChoice

    /// What came of it.
    public typealias Output = OrderAnswer
}
