public enum RecordKind: UInt8, Sendable, CaseIterable {
    /// A dispatched action; folded.
    case action = 1
    /// The end of a command: result, failure, skip, cancellation or superseded; folded.
    case end = 2
    case bookmark = 3
    /// A new epoch began: the log was copied or restored.
    case epoch = 4
    case hold = 5
    case release = 6
    /// Dispatches are refused from here on.
    case lock = 7
    case unlock = 8
    case edit = 11
    /// A part of a command's result, before its end; its actions follow as records of their own.
    case piece = 12
    case invariant = 14

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

    /// Whether a record of this kind may hold an action.
    public var isFolded: Bool { self == .action || self == .end }

    /// Whether a record of this kind with a payload of this size holds an action; an end without an action has an empty payload.
    public func holdsAction(payloadBytes: Int) -> Bool { self == .action || self == .end && payloadBytes > 0 }
}
