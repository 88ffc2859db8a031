/// Why a text does not describe an interface.
public struct InterfaceError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The line, counted from 1.
    public var line: Int
    /// What is wrong, for people.
    public var message: String

    /// Names a line and what is wrong there.
    public init(line: Int, message: String) {
        self.line = line
        self.message = message
    }

    /// The line and what is wrong there.
    public var description: String { "line \(line): \(message)" }
}
