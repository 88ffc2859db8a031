/// A feature that is composed of children by a schema.
///
/// Every requirement follows from the children. A feature with rules across them declares `prepare`, `reduce` or `ended` itself and calls
/// the functions below for the rest.
public protocol ComposedFeature: Feature {
    /// `prepare` of the child that the action belongs to.
    static func prepareChild(_ action: Action, _ state: State, _ context: Context) throws(Refusal) -> [Action]
    /// `reduce` of the child that the action belongs to.
    static func reduceChild(_ state: inout State, _ action: Action, _ context: Context) -> [Command]
    /// `ended` of the child that the command belongs to.
    static func endedChild(_ command: Command, _ end: CommandEnd) -> Action?
}

extension ComposedFeature {
    @inlinable public static func prepare(_ action: Action, _ state: State, _ context: Context) throws(Refusal) -> [Action] {
        try prepareChild(action, state, context)
    }

    @inlinable public static func reduce(_ state: inout State, _ action: Action, _ context: Context) -> [Command] {
        reduceChild(&state, action, context)
    }

    /// Nothing, for a feature whose children have no commands.
    public static func endedChild(_ command: Command, _ end: CommandEnd) -> Action? { nil }

    @inlinable public static func ended(_ command: Command, _ end: CommandEnd) -> Action? { endedChild(command, end) }
}

extension CaseCoding {
    /// The case with the lowest number, with initial fields.
    public static var first: Self? { defaultInstances.first { _ in true } }
}
