import Reducing

/// Conditions on the fields of an element, each made of questions that one field alone answers.
///
/// They are asked while the fields are shown in their places, and most elements are passed over so. What is no `ConditionTree` is none of them.
struct DirectConditions: Sendable {
    /// What is asked of one field.
    struct Question: Sendable {
        /// The stage to which it belongs.
        var stage: Int
        var column: Int
        /// The first node.
        var node: Int
        /// Of which a text has to pass one, where that is all; none where more is asked.
        var tests: [TextTest] = []
        /// Whether that is asked of the members of a list, of which one has to pass.
        var isOfMembers = false
    }

    /// Conditions that are asked together.
    struct Stage: Sendable {
        /// The columns that they read, a bit for each.
        var columns: UInt64 = 0
        /// The questions that are conditions by themselves, a bit for each.
        var plain: UInt64 = 0
        /// The answers of all other conditions.
        var joined: [Int] = []

        var isEmpty: Bool { plain == 0 && joined.isEmpty }
    }

    /// How the answers to questions are joined.
    enum Answer: Sendable {
        /// To the question of a number.
        case question(Int)
        case not(Int)
        case both(Int, Int)
        case either(Int, Int)
    }

    /// Questions of all conditions, and columns: each has a bit.
    static let questionsMax = 64
    private(set) var tree: ConditionTree
    private(set) var questions: [Question] = []
    /// The questions that a field answers with yes which is not there, a bit for each.
    private(set) var answeredByNothing: UInt64 = 0
    private(set) var answers: [Answer] = []
    /// What looks through texts or lists is asked only where all other conditions hold.
    private(set) var stages = [Stage(), Stage()]

    /// Makes none.
    init(_ code: Bytecode) { tree = ConditionTree(code) }

    /// Adds what some instructions say; false where it is none of these.
    ///
    /// - Parameter columns: where each of the places stands that the code reads.
    mutating func add(_ code: Bytecode, _ range: Range<Int>, columns: [Int?]) -> Bool {
        let before = self
        let stage = code.looksThroughTexts(range) ? 1 : 0
        let root = tree.add(code, range) { source in
            if case .path(let place) = source { columns[place] } else { nil }
        }
        guard let root, let answer = answer(root, stage) else {
            self = before
            return false
        }
        if case .question(let question) = answers[answer] {
            stages[stage].plain |= 1 << UInt64(question)
        } else {
            stages[stage].joined.append(answer)
        }
        return true
    }

    var isEmpty: Bool { stages.allSatisfy(\.isEmpty) }

    /// Whether all conditions of a stage hold where these questions were answered with yes.
    func hold(_ stage: Int, _ yes: UInt64) -> Bool {
        guard yes & stages[stage].plain == stages[stage].plain else { return false }
        for index in stages[stage].joined.indices where !holds(stages[stage].joined[index], yes) { return false }
        return true
    }

    private func holds(_ answer: Int, _ yes: UInt64) -> Bool {
        switch answers[answer] {
        case .question(let question): yes & 1 << UInt64(question) != 0
        case .not(let answer): !holds(answer, yes)
        case .both(let left, let right): holds(left, yes) && holds(right, yes)
        case .either(let left, let right): holds(left, yes) || holds(right, yes)
        }
    }

    private mutating func add(_ answer: Answer) -> Int {
        answers.append(answer)
        return answers.count - 1
    }

    // How the answer that a tree gives comes of answers to questions of one column each.
    private mutating func answer(_ root: Int, _ stage: Int) -> Int? {
        let columns = tree.columns(of: root)
        if columns.count == 1, let column = columns.first {
            guard questions.count < Self.questionsMax, column < Self.questionsMax else { return nil }
            var question = Question(stage: stage, column: column, node: root)
            if case .loop(.any, _, let body) = tree.nodes[root] {
                question.tests = tests(body) { if case .member = $0 { true } else { false } } ?? []
                question.isOfMembers = true
            } else {
                question.tests = tests(root) { if case .column = $0 { true } else { false } } ?? []
            }
            var left = Int.max
            let isYes = tree.operand(root, of: OneColumn(.null, .none), .null, &left).isTrue
            if isYes { answeredByNothing |= 1 << UInt64(questions.count) }
            questions.append(question)
            stages[stage].columns |= 1 << UInt64(column)
            return add(.question(questions.count - 1))
        }
        switch tree.nodes[root] {
        case .both(let left, let right):
            guard let left = answer(left, stage), let right = answer(right, stage) else { return nil }
            return add(.both(left, right))
        case .either(let left, let right):
            guard let left = answer(left, stage), let right = answer(right, stage) else { return nil }
            return add(.either(left, right))
        case .apply(let function, let node):
            guard let answer = answer(node, stage) else { return nil }
            switch tree.functions[function] {
            case .not: return add(.not(answer))
            case .truth: return answer
            default: return nil
            }
        case .constant, .column, .count, .member, .compare, .compute, .loop: return nil
        }
    }

    // The tests of which a text has to pass one, for a node to hold; `nil` where that is not all that it asks.
    private func tests(_ root: Int, isText: (ConditionTree.Node) -> Bool) -> [TextTest]? {
        switch tree.nodes[root] {
        case .either(let left, let right):
            guard let left = tests(left, isText: isText), let right = tests(right, isText: isText) else { return nil }
            return left + right
        case .apply(let function, let node):
            if case .truth = tree.functions[function] { return tests(node, isText: isText) }
            guard isText(tree.nodes[node]), case .test(let test) = tree.functions[function] else { return nil }
            return [test]
        case .compare(.equal, let left, let right):
            guard case .constant(let constant) = tree.nodes[right], case .text(let text) = tree.constants[constant]
            else { return nil }
            if isText(tree.nodes[left]) { return [.isText(text)] }
            guard case .apply(let function, let node) = tree.nodes[left], case .lower = tree.functions[function],
                isText(tree.nodes[node])
            else { return nil }
            return [.isLowered(text)]
        case .constant, .column, .count, .member, .compare, .compute, .both, .loop: return nil
        }
    }
}

/// One field, which is all that a question reads.
struct OneColumn: ColumnSource {
    private let field: Operand
    private let members: ColumnMembers

    init(_ field: Operand, _ members: ColumnMembers) { (self.field, self.members) = (field, members) }

    func operand(_ column: Int) -> Operand { field }

    func members(_ column: Int) -> ColumnMembers { members }
}
