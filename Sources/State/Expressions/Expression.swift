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
    ///
    /// - Throws: a syntax error, a name that no state of the shape has, or an exceeded limit, with its column.
    public init(_ text: String, of shape: Shape = .any, on subject: Subject = .value) throws(ExpressionError) {
        var parser = try Parser(text, of: shape, on: subject)
        let root = try parser.wholeCondition()
        self.init(text, parser.tree, root)
    }

    /// Parses a numeric expression.
    ///
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

    /// Starts an evaluation in a state.
    ///
    /// - Parameters:
    ///   - old: the state before the record, for a condition on a record.
    ///   - facts: the facts of the record.
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

    /// The condition prepared for incremental evaluation.
    public var followed: FollowedCondition { FollowedCondition(tree, root) }

    /// Starts an incremental evaluation from the tallies of the previous state.
    ///
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
