public enum RecordKind: UInt8, Sendable, CaseIterable {
    /// An action that was dispatched; folded.
    case action = 1
    /// The end of a command: a result, failure, skip, cancellation, or that another took its place; folded.
    case end = 2
    /// A name that somebody gave to a place in the log.
    case bookmark = 3
    /// A new epoch began: the log was copied or restored.
    case epoch = 4
    /// The open commands are held.
    case hold = 5
    /// The held commands were released.
    case release = 6
    /// Nothing is dispatched from then on.
    case lock = 7
    /// Dispatches go on.
    case unlock = 8
    /// An open command got other arguments.
    case edit = 11
    /// A part of what a command brings, before its end; the facts in it are actions behind it.
    case piece = 12
    /// A condition that every state must meet was set or taken away.
    case invariant = 14

    /// Its name on the wire and in conditions.
    public var name: String {
        switch self {
        case .action: "action"
        case .end: "end"
        case .bookmark: "bookmark"
        case .epoch: "epoch"
        case .hold: "hold"
        case .release: "release"
        case .lock: "lock"
        case .unlock: "unlock"
        case .edit: "edit"
        case .piece: "piece"
        case .invariant: "invariant"
        }
    }

    /// Whether a record of this kind may hold an action that changes the state.
    public var isFolded: Bool { self == .action || self == .end }

    /// Whether a record of this kind with so many bytes of payload holds an action.
    ///
    /// A command may end without a word for the state; the payload is empty then.
    public func holdsAction(payloadBytes: Int) -> Bool { self == .action || self == .end && payloadBytes > 0 }
}
