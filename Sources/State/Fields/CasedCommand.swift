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
    /// Commands are what it is a choice of.
    public static var noun: String { "command" }
}
