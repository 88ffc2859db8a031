/// How much of what happened a test must say.
public enum Exhaustivity: Sendable, Equatable {
    /// Everything: each change of the state, each logged action, each command and its end.
    case on
    /// Only what the test says is checked; for long stories in which one part matters.
    case off
}
