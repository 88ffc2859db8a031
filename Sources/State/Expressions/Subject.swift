import Chronicle

/// The subject of an expression, which determines what it may read in addition to paths.
public enum Subject: Sendable {
    /// Any value: paths only.
    case value
    /// A list element: also `list[ID]`, another element of the list.
    case element
    /// A state: also `now`, the time of its record.
    case state
    /// A record: also its facts, and `old.` and `new.`, the states before and after it. A path without a prefix reads the new state.
    case change
}

/// A fact of a record; the raw value is its name after `record.`.
public enum RecordFact: String, Sendable, CaseIterable {
    case sequence, uid, action, time, step, kind

    var shape: Shape {
        switch self {
        case .sequence, .uid, .time, .step: .int
        case .action, .kind: .text
        }
    }
}

/// The facts of a record; `nil` reads as `null`.
public struct RecordFacts: Sendable {
    public var sequence: UInt64?
    /// The uid of the peer that requested it.
    public var uid: UInt32?
    /// The qualified name of its action, `todos.add`; `nil` without an action.
    public var action: String?
    /// Unix time in microseconds; `nil` before the first record.
    public var time: Int64?
    /// The sequence number of the first record of its step.
    public var step: UInt64?
    /// The record kind: `action`, `end`, `bookmark` and so on.
    public var kind: String?

    public init(
        sequence: UInt64? = nil, uid: UInt32? = nil, action: String? = nil, time: Int64? = nil, step: UInt64? = nil,
        kind: String? = nil
    ) {
        (self.sequence, self.uid, self.action) = (sequence, uid, action)
        (self.time, self.step, self.kind) = (time, step, kind)
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

/// The places and facts on which the value of an expression depends.
public struct Reads: Sendable {
    /// Places in the (new) state.
    public var paths: [Path] = []
    /// Places in the old state.
    public var oldPaths: [Path] = []
    /// Facts of the record; `now` is its time.
    public var facts: Set<RecordFact> = []

    public init() {}

    /// Whether it needs no state.
    public var isOfRecordAlone: Bool { paths.isEmpty && oldPaths.isEmpty }
}
