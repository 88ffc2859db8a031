/// Why an action is refused; nothing of its batch is logged.
public struct Refusal: Error, Sendable, Equatable {
    /// A case to branch on, in UpperCamelCase; on the wire the error's name.
    public var name: String
    /// A sentence for a person that says what to do.
    public var message: String

    public init(_ name: String, _ message: String) {
        self.name = name
        self.message = message
    }
}
