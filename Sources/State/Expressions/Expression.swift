public import Reducing

/// A condition on a state: `count(todos.items) > 3 and not counter.count < 0`.
///
/// The language is specified in EXPRESSIONS.md. An expression that could be read has a truth value in every state.
public struct Expression: Sendable {
    /// The text that was read.
    public let text: String
    private let code: Bytecode

    /// Reads an expression on states of a shape.
    ///
    /// - Throws: an error that points at the column where the text is none, asks for what no such state has, or is too long or too deep.
    public init(_ text: String, of shape: Shape = .any) throws(ExpressionError) {
        var parser = try Parser(text, of: shape)
        code = try parser.wholeExpression()
        self.text = text
    }

    /// The places in the state that it reads.
    public var paths: [Path] { code.paths }

    /// Begins to evaluate it in a state.
    public func evaluation<Reader: StateReader>(in reader: Reader) -> Evaluation<Reader> { Evaluation(code, reader, nil, []) }

    /// Nothing counted yet, to follow it from state to state; `nil` if none of its loops can be kept up to date.
    public var tallies: Tallies? {
        let tallies = Tallies(code)
        return tallies.loops.isEmpty ? nil : tallies
    }

    /// Begins to evaluate it in a state that follows one in which something is counted.
    ///
    /// - Parameters:
    ///   - tallies: what the evaluation in the state before has counted.
    ///   - changes: what leads from the state before to this one; `nil`: more than are worth looking at, so all is counted anew.
    public func evaluation<Reader: StateReader>(
        in reader: Reader, after tallies: Tallies, _ changes: [Change]?
    ) -> Evaluation<Reader> {
        var tallies = tallies
        let counting = tallies.adjustments(by: changes)
        return Evaluation(code, reader, tallies, counting)
    }

    /// Whether it holds in a state, without a pause: for small states.
    public func holds(in reader: some StateReader) -> Bool {
        var evaluation = evaluation(in: reader)
        while true {
            if let holds = evaluation.advance(steps: .max) { return holds }
        }
    }
}
