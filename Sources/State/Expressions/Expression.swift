public import Chronicle

/// A condition on a state or a record, or a number computed from a state: `count(todos.items) > 3 and not counter.count < 0`.
///
/// The language is specified in EXPRESSIONS.md. Every condition has a truth value in every state.
public struct Expression: Sendable {
    public let text: String
    /// The places and facts that the expression reads.
    public let reads: Reads
    let tree: SyntaxTree
    let root: Int

    /// Parses a condition on states of a shape.
    /// - Throws: a syntax error, a name that no state of the shape has, or an exceeded limit, with its column.
    public init(_ text: String, of shape: Shape = .any, on subject: Subject = .value) throws(ExpressionError) {
        var parser = try Parser(text, of: shape, on: subject)
        let root = try parser.wholeCondition()
        self.init(text, parser.tree, root)
    }

    /// Parses a numeric expression.
    /// - Throws: as for a condition, and if the expression is not a number.
    public init(number text: String, of shape: Shape, on subject: Subject) throws(ExpressionError) {
        var parser = try Parser(text, of: shape, on: subject)
        let root = try parser.wholeNumber()
        self.init(text, parser.tree, root)
    }

    private init(_ text: String, _ tree: SyntaxTree, _ root: Int) {
        (self.text, self.tree, self.root) = (text, tree, root)
        reads = tree.reads(in: root)
    }

    var conjunctRoots: [Int] { if case .and(let row) = tree.nodes[root] { tree.terms[row].map(\.node) } else { [root] } }

    /// The operands of its top-level `and`s.
    public var conjuncts: [Expression] { conjunctRoots.map { Expression(text, tree, $0) } }

    /// Starts an evaluation in a state; `old` is the state before the record, for a condition on a record.
    public func evaluation<Reader: StateReader>(
        in reader: Reader, after old: Reader? = nil, facts: RecordFacts = RecordFacts()
    ) -> Evaluation<Reader> { Evaluation(tree, root, in: reader, after: old, facts: facts) }

    /// Empty tallies for incremental evaluation from state to state; `nil` if no loop can be maintained incrementally.
    public var tallies: Tallies? {
        let tallies = Tallies(tree, root)
        return tallies.loops.isEmpty ? nil : tallies
    }

    /// Whether the changes between two states suffice to evaluate the second one: all loops are over lists of the state, and their
    /// conditions read only the element.
    public var isJudgedByChanges: Bool {
        let loops = Tallies(tree, root).loops
        return loops.allSatisfy(\.read.isEmpty) && tree.outermostLoops(in: root).count == loops.count
    }

    public var followed: FollowedCondition { FollowedCondition(tree, root) }

    /// Starts an incremental evaluation from the tallies of the previous state.
    /// - Parameter changes: the changes since the previous state; `nil` if there are too many, so that all loops are recounted.
    public func evaluation<Reader: StateReader>(
        in reader: Reader, facts: RecordFacts = RecordFacts(), after tallies: Tallies, _ changes: [Change]?
    ) -> Evaluation<Reader> {
        var tallies = tallies
        let counting = tallies.adjustments(by: changes)
        return Evaluation(tree, root, in: reader, facts: facts, tallies: tallies, counting: counting)
    }

    /// Starts to count a loop that an evaluation has skipped; `nil` if all loops are counted.
    public func counting<Reader: StateReader>(_ tallies: Tallies, in reader: Reader) -> Evaluation<Reader>? {
        guard let loop = tallies.known.firstIndex(of: nil) else { return nil }
        return Evaluation(tree, tallies.loops[loop].node, in: reader, tallies: tallies)
    }

    /// Whether it holds in a state; never pauses, so use it only for small states.
    public func holds<Reader: StateReader>(
        in reader: Reader, after old: Reader? = nil, facts: RecordFacts = RecordFacts()
    ) -> Bool {
        var evaluation = evaluation(in: reader, after: old, facts: facts)
        while true {
            if let holds = evaluation.advance(steps: .max) { return holds }
        }
    }
}

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
    public var oldPaths: [Path] = []
    /// Facts of the record; `now` is its time.
    public var facts: Set<RecordFact> = []

    public init() {}

    /// Whether it needs no state.
    public var isOfRecordAlone: Bool { paths.isEmpty && oldPaths.isEmpty }
}

public enum ExpressionLimits {
    public static let bytesMax = 4_096
    /// Maximum nesting depth of parentheses, `not`, signs, functions and loops.
    public static let depthMax = 32
    static let loopsMax = 4
    public static let pageElementsMax = 256
    /// Number of fields or elements that are searched per step.
    static let partsPerStep = 16
    /// Number of steps of a lookup by ID.
    static let stepsPerOther = 32
    static let comparedBytesPerStep = 64
    /// Number of bytes of an ASCII text that are searched per step.
    static let searchedBytesPerStep = 64
    /// Number of UTF-8 bytes of any other text that are searched per step.
    static let mappedBytesPerStep = 4
}

public struct ExpressionError: Error, Sendable, Equatable {
    /// The expected syntax or type, as a sentence.
    public var message: String
    /// The position of the error in characters, starting at 1; may be one past the end.
    public var column: Int

    public init(_ message: String, column: Int) { (self.message, self.column) = (message, column) }
}

extension ExpressionError: CustomStringConvertible {
    public var description: String { "column \(column): \(message)" }
}
