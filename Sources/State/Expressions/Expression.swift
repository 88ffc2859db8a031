public import Reducing

/// A condition on a state or a record, or a number computed from a state: `count(todos.items) > 3 and not counter.count < 0`.
///
/// The language is specified in EXPRESSIONS.md. A condition that could be read has a truth value in every state.
public struct Expression: Sendable {
    /// The text that was read.
    public let text: String
    public let reads: Reads
    let code: Bytecode
    // The instructions that are this expression, where it is one side of an and.
    private let range: Range<Int>
    let conjunctRanges: [Range<Int>]

    /// Reads a condition on states of a shape.
    ///
    /// - Parameter subject: what is judged; only a record has `old.` and facts.
    /// - Throws: an error that points at the column where the text is none, asks for what no such state has, or is too long or too deep.
    public init(_ text: String, of shape: Shape = .any, on subject: Subject = .value) throws(ExpressionError) {
        var parser = try Parser(text, of: shape, on: subject)
        let (code, conjuncts) = try parser.wholeCondition()
        self.init(text, code, code.instructions.indices, conjuncts)
    }

    /// Reads an expression that gives a number.
    ///
    /// - Throws: an error as for a condition, also where it gives something else than a number.
    public init(number text: String, of shape: Shape, on subject: Subject) throws(ExpressionError) {
        var parser = try Parser(text, of: shape, on: subject)
        let code = try parser.wholeNumber()
        self.init(text, code, code.instructions.indices, [code.instructions.indices])
    }

    private init(_ text: String, _ code: Bytecode, _ range: Range<Int>, _ conjunctRanges: [Range<Int>]) {
        (self.text, self.code, self.range, self.conjunctRanges) = (text, code, range, conjunctRanges)
        reads = code.reads(in: range)
    }

    /// What stands between its outermost ands: it holds where all of them do.
    public var conjuncts: [Expression] { conjunctRanges.map { Expression(text, code, $0, [$0]) } }

    /// The places in the state that it reads.
    public var paths: [Path] { reads.paths }

    /// Begins to evaluate it in a state.
    ///
    /// - Parameters:
    ///   - old: of a condition on a record, the state before it.
    ///   - facts: what the record says of itself.
    public func evaluation<Reader: StateReader>(
        in reader: Reader, after old: Reader? = nil, facts: RecordFacts = RecordFacts()
    ) -> Evaluation<Reader> {
        Evaluation(code, range, reader, old, facts, nil, [])
    }

    /// Nothing counted yet, to follow it from state to state; `nil` if none of its loops can be kept up to date.
    public var tallies: Tallies? {
        let tallies = Tallies(code, range)
        return tallies.loops.isEmpty ? nil : tallies
    }

    /// Whether what changed between two states is all that it takes to go on from one to the next: its loops go over lists of the state, and
    /// their conditions read nothing but the element.
    public var isJudgedByChanges: Bool {
        let loops = Tallies(code, range).loops
        guard loops.allSatisfy(\.read.isEmpty) else { return false }
        return range.allSatisfy { index in
            guard case .begin = code.instructions[index] else { return true }
            return loops.contains { $0.begin <= index && index < $0.end }
        }
    }

    /// The condition, to be followed from state to state.
    public var followed: FollowedCondition { FollowedCondition(code, range) }

    /// Begins to evaluate it in a state that follows one in which something is counted.
    ///
    /// - Parameters:
    ///   - tallies: what the evaluation in the state before has counted.
    ///   - changes: what leads from the state before to this one; `nil`: more than are worth looking at, so all is counted anew.
    public func evaluation<Reader: StateReader>(
        in reader: Reader, facts: RecordFacts = RecordFacts(), after tallies: Tallies, _ changes: [Change]?
    ) -> Evaluation<Reader> {
        var tallies = tallies
        let counting = tallies.adjustments(by: changes)
        return Evaluation(code, range, reader, nil, facts, tallies, counting)
    }

    /// Begins to count a loop that an evaluation passed over, beside what it has counted; `nil`: all of them are counted.
    public func counting<Reader: StateReader>(_ tallies: Tallies, in reader: Reader) -> Evaluation<Reader>? {
        guard let loop = tallies.loops.first(where: { tallies.matches(at: $0.begin) == nil }) else { return nil }
        return Evaluation(code, loop.begin..<loop.end, reader, nil, RecordFacts(), tallies, [])
    }

    /// Whether it holds in a state, without a pause: for small states.
    public func holds<Reader: StateReader>(
        in reader: Reader, after old: Reader? = nil, facts: RecordFacts = RecordFacts()
    ) -> Bool {
        var evaluation = evaluation(in: reader, after: old, facts: facts)
        while true {
            if let holds = evaluation.advance(steps: .max) { return holds }
        }
    }
}
