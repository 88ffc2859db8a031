import Chronicle

/// The right tally's `nothing` also changes the left one, which no feature should do.
extension Pair {
    static func prepare(_ action: Action, _ state: State, _ context: Context) throws(Refusal) -> [Action] {
        if case .right(.nothing) = action { return [.right(.increment), .left(.increment)] }
        return try prepareChild(action, state, context)
    }
}
