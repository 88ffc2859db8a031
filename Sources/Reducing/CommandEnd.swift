/// How a command ended, or stopped for a person, without a result.
public enum CommandEnd: Sendable, Equatable {
    /// Its last attempt failed; the reason is a sentence for a person.
    case failed(String)
    /// A person said that it is not to be done.
    case skipped
    /// An action or a person took it back.
    case cancelled
    /// A later command of the same `cancelID` took its place.
    case superseded
    /// It waits for a person, who retries or skips it; the command stays open.
    case parked(String)
}
