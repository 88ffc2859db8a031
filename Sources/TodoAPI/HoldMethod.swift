/// Holds all commands, those to come too.
public enum HoldMethod: Method {
    /// Its full name.
    public static let name = "org.todod.Admin.Hold"

    /// Nothing is asked.
    public typealias Input = NoFields

    /// What came of it.
    public typealias Output = OrderAnswer
}
