/// Takes a command back; one that runs is interrupted.
public enum CancelCommandMethod: Method {
    /// Its full name.
    public static let name = "org.todod.Admin.CancelCommand"

    /// Which one.
    public typealias Input = CommandChoice

    /// What came of it.
    public typealias Output = OrderAnswer
}
