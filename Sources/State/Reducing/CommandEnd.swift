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

    /// Why nothing came of it; `nil` where it goes on: by the later command, or when the person has decided.
    public var reason: String? {
        switch self {
        case .failed(let reason): reason
        case .skipped: "it was skipped"
        case .cancelled: "it was cancelled"
        case .superseded, .parked: nil
        }
    }
}

extension CommandPolicy {
    /// Which open commands end when one with this policy is asked for, and how: those of its `cancelID`, for the latest wins.
    ///
    /// `nil`: none do. Store, what-if and tests go by this.
    public var displacement: (cancelID: String, end: CommandEnd)? {
        cancelID.map { ($0, isCancellation ? .cancelled : .superseded) }
    }

    /// Whether those that have begun end then, too: with a pace, they go on.
    public var displacesBegun: Bool { isCancellation || pace == nil }
}

extension Feature {
    /// What the log holds of the end of a command besides the end itself: what the feature says of it, as far as `prepare` allows.
    public static func facts(of command: Command, _ end: CommandEnd, in state: State, _ context: Context) -> [Action] {
        // What can't be said is left unsaid: the record of the end tells it, and its reason.
        guard let fact = ended(command, end) else { return [] }
        return (try? prepare(fact, state, context)) ?? []
    }
}
