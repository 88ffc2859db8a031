import Reducing

/// Conditions on the fields of an element, each made of questions that one field alone answers.
///
/// They are asked while the fields are shown in their places, which is quicker by far than a stack machine that may pause anywhere; most
/// elements are passed over so. What may take long for a single element is none of them: loops in loops, and what asks for other elements.
struct DirectConditions: Sendable {
    /// Holds nothing but numbers, as an instruction does.
    enum Node: Sendable {
        case constant(Int)
        /// What stands in a column.
        case column(Int)
        /// What the loop is at.
        case member
        case apply(Int, to: Int)
        case compare(Comparison, Int, Int)
        case compute(Arithmetic, Int, Int)
        case both(Int, Int)
        case either(Int, Int)
        /// Whether any member of what stands in a column meets a condition, or all do.
        case loop(LoopKind, column: Int, Int)
    }

    /// What is asked of one field.
    struct Question: Sendable {
        /// The stage to which it belongs.
        var stage: Int
        /// In which column it stands.
        var column: Int
        /// The first node.
        var node: Int
        /// Of which a text has to pass one, where that is all; none where more is asked.
        var tests: [TextTest] = []
        /// Whether that is asked of the members of a list, of which one has to pass.
        var isOfMembers = false
    }

    /// What can be gone over in a field.
    enum Members {
        case none
        case texts([String])
        case values([Value])
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
    let constants: [Operand]
    let functions: [Function]
    private(set) var nodes: [Node] = []
    private(set) var questions: [Question] = []
    /// The questions that a field answers with yes which is not there, a bit for each.
    private(set) var answeredByNothing: UInt64 = 0
    private(set) var answers: [Answer] = []
    /// What looks through texts or lists is asked only where all other conditions hold.
    private(set) var stages = [Stage(), Stage()]

    /// Makes none.
    init(_ code: Bytecode) { (constants, functions) = (code.constants, code.functions) }

    /// Adds what some instructions say; false where it is none of these.
    ///
    /// - Parameter columns: where each of the places stands that the code reads.
    mutating func add(_ code: Bytecode, _ range: Range<Int>, columns: [Int?]) -> Bool {
        let before = self
        let stage = code.looksThroughTexts(range) ? 1 : 0
        guard let root = Self.tree(code, range, columns, isInLoop: false, &nodes), let answer = answer(root, stage) else {
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

    /// Whether there is none.
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
        let columns = columns(of: root)
        if columns.count == 1, let column = columns.first {
            guard questions.count < Self.questionsMax, column < Self.questionsMax else { return nil }
            var question = Question(stage: stage, column: column, node: root)
            if case .loop(.any, _, let body) = nodes[root] {
                question.tests = tests(body) { if case .member = $0 { true } else { false } } ?? []
                question.isOfMembers = true
            } else {
                question.tests = tests(root) { if case .column = $0 { true } else { false } } ?? []
            }
            var steps = 0
            if operand(root, of: .null, .none, .null, &steps).isTrue { answeredByNothing |= 1 << UInt64(questions.count) }
            questions.append(question)
            stages[stage].columns |= 1 << UInt64(column)
            return add(.question(questions.count - 1))
        }
        switch nodes[root] {
        case .both(let left, let right):
            guard let left = answer(left, stage), let right = answer(right, stage) else { return nil }
            return add(.both(left, right))
        case .either(let left, let right):
            guard let left = answer(left, stage), let right = answer(right, stage) else { return nil }
            return add(.either(left, right))
        case .apply(let function, let node):
            guard let answer = answer(node, stage) else { return nil }
            switch functions[function] {
            case .not: return add(.not(answer))
            case .truth: return answer
            default: return nil
            }
        case .constant, .column, .member, .compare, .compute, .loop: return nil
        }
    }

    // The tests of which a text has to pass one, for a node to hold; `nil` where that is not all that it asks.
    private func tests(_ root: Int, isText: (Node) -> Bool) -> [TextTest]? {
        switch nodes[root] {
        case .either(let left, let right):
            guard let left = tests(left, isText: isText), let right = tests(right, isText: isText) else { return nil }
            return left + right
        case .apply(let function, let node):
            if case .truth = functions[function] { return tests(node, isText: isText) }
            guard isText(nodes[node]), case .test(let test) = functions[function] else { return nil }
            return [test]
        case .compare(.equal, let left, let right):
            guard case .constant(let constant) = nodes[right], case .text(let text) = constants[constant] else { return nil }
            if isText(nodes[left]) { return [.isText(text)] }
            if case .apply(let function, let node) = nodes[left], case .lower = functions[function], isText(nodes[node]) {
                return [.isLowered(text)]
            }
            return nil
        case .constant, .column, .member, .compare, .compute, .both, .loop: return nil
        }
    }

    private func columns(of root: Int) -> Set<Int> {
        switch nodes[root] {
        case .constant, .member: []
        case .column(let column): [column]
        case .apply(_, let node): columns(of: node)
        case .compare(_, let left, let right), .compute(_, let left, let right), .both(let left, let right),
            .either(let left, let right):
            columns(of: left).union(columns(of: right))
        case .loop(_, let column, let body): columns(of: body).union([column])
        }
    }
}
