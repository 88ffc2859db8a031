/// Releases the commands that are held.
public enum ReleaseMethod: Method {
    /// Its full name.
    public static let name = "org.todod.Admin.Release"

    /// Nothing is asked.
    public typealias Input = NoFields

    /// What came of it.
    public typealias Output = OrderAnswer
}
