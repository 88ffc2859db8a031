public import Reducing

/// A command whose name and arguments follow from its cases.
public protocol CasedCommand: NamedCommand, Cased {
    /// What its names begin with: `todos` in `todos.load`.
    static var feature: String { get }
}

extension CasedCommand {
    /// The feature and the case: `todos.load`.
    public var name: String { Self.feature + "." + caseName }
    /// The fields of the case.
    public var arguments: Value { fields }
    /// The same case with other fields.
    public func with(arguments: Value) throws(ValueMismatch) -> Self {
        do throws(ValueMismatch) { return try Self(.record([Value.Field(caseName, arguments)])) } catch {
            throw error.path.hasPrefix(caseName + ".")
                ? ValueMismatch(String(error.path.dropFirst(caseName.count + 1)), error.message)
                : ValueMismatch("", error.message)
        }
    }
    /// Commands are what it is a choice of.
    public static var noun: String { "command" }
}
