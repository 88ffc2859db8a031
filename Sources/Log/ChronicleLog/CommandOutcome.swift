/// Which way a command ended; it stands in the header of the record of its end.
public enum CommandOutcome: UInt8, Sendable, CaseIterable {
    /// Its target did it; the payload is what it brought back.
    case result = 1
    /// Its last attempt failed, or its result was refused.
    case failed = 2
    /// A person said that it is not to be done.
    case skipped = 3
    /// An action or a person took it back.
    case cancelled = 4
    /// A later command of the same name among the open ones took its place.
    case superseded = 5
}
