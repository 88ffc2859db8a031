import Reducing

/// What an expression is about, which decides what it may ask for beside paths.
public enum Subject: Sendable {
    /// Any value: paths alone.
    case value
    /// An element of a list: also `list[ID]`, any element of the same list, by what is computed from this one.
    case element
    /// A state: also `now`, the time of the record that led to it.
    case state
    /// A record: also `old.` and `new.`, the states before and after it, and the facts of the record. A bare path is one of `new.`.
    case change
}

/// What an expression may ask of a record itself, under its name behind `record.`.
public enum RecordFact: String, Sendable, CaseIterable {
    case sequence, uid, action, time, step, kind

    var shape: Shape {
        switch self {
        case .sequence, .uid, .time, .step: .int
        case .action, .kind: .text
        }
    }
}

/// What a record says of itself.
public struct RecordFacts: Sendable {
    /// Its position in the log.
    public var sequence: UInt64?
    /// The uid of the peer that asked for it.
    public var uid: UInt32?
    /// The feature and the name of its action, `todos.add`; `nil` where it holds none.
    public var action: String?
    /// Microseconds since 1970; `nil` before the first record.
    public var time: Int64?
    /// The sequence of the first record of its step.
    public var step: UInt64?
    /// What it stands for: `action`, `end`, `bookmark` and so on.
    public var kind: String?

    /// Makes facts; what is left out reads as `null`.
    public init(
        sequence: UInt64? = nil, uid: UInt32? = nil, action: String? = nil, time: Int64? = nil, step: UInt64? = nil,
        kind: String? = nil
    ) {
        self.sequence = sequence
        self.uid = uid
        self.action = action
        self.time = time
        self.step = step
        self.kind = kind
    }

    func operand(_ fact: RecordFact) -> Operand {
        switch fact {
        case .sequence: sequence.map { .int(Int64(clamping: $0)) } ?? .null
        case .uid: uid.map { .int(Int64($0)) } ?? .null
        case .action: action.map { .text($0) } ?? .null
        case .time: time.map { .int($0) } ?? .null
        case .step: step.map { .int(Int64(clamping: $0)) } ?? .null
        case .kind: kind.map { .text($0) } ?? .null
        }
    }
}

/// What an expression reads: what else changes can't change its value.
public struct Reads: Sendable {
    /// Places in the state; of an expression on a record, in the one after it.
    public var paths: [Path] = []
    /// Places in the state before the record.
    public var oldPaths: [Path] = []
    /// Facts of the record; `now` is its time.
    public var facts: Set<RecordFact> = []

    /// Reads nothing.
    public init() {}

    /// Whether no state has to be known to evaluate it.
    public var isOfRecordAlone: Bool { paths.isEmpty && oldPaths.isEmpty }
}
