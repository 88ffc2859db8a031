/// Has a command tried again at once, parked or not.
public enum RetryCommandMethod: Method {
    /// Its full name.
    public static let name = "org.todod.Admin.RetryCommand"

    /// Which one.
    public typealias Input = CommandChoice

    /// What came of it.
    public typealias Output = OrderAnswer
}
