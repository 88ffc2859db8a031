import Reducing

/// Asks elements what one field alone answers, and keeps those for which all conditions hold.
final class Sieve: ColumnReader {
    private let conditions: DirectConditions
    private let stepsMax: Int
    // A bit for each question that was answered with yes.
    private var yes: UInt64 = 0
    private var stage = 0
    private var isKept = false
    /// How many elements were looked at.
    private(set) var seen = 0
    /// Which of those it keeps, counted from the first that was shown.
    private(set) var kept: [Int] = []
    /// What it took.
    private(set) var steps = 0

    /// Makes a sieve that wants no more elements behind so many steps.
    init(_ conditions: DirectConditions, stepsMax: Int) { (self.conditions, self.stepsMax) = (conditions, stepsMax) }

    func readNothing(_ column: Int) {
        for index in conditions.questions.indices where asks(index, column) {
            steps += 1
            yes |= conditions.answeredByNothing & 1 << UInt64(index)
        }
    }

    func read(_ column: Int, _ value: Value) {
        switch value {
        case .list(let elements): ask(column, .whole, .values(elements))
        case .record(let fields): ask(column, .whole, .values(fields.map { $0.value }))
        case .null, .bool, .int, .double, .text: ask(column, Operand(value), .none)
        }
    }

    func read(_ column: Int, text: String) {
        for index in conditions.questions.indices where asks(index, column) {
            if conditions.questions[index].tests.isEmpty || conditions.questions[index].isOfMembers {
                ask(question: index, .text(text), .none)
            } else if passes(text, index) {
                yes |= 1 << UInt64(index)
            }
        }
    }

    func read(_ column: Int, texts: [String]) {
        for index in conditions.questions.indices where asks(index, column) {
            if conditions.questions[index].tests.isEmpty || !conditions.questions[index].isOfMembers {
                ask(question: index, .whole, .texts(texts))
            } else {
                steps += 1
                for text in texts where passes(text, index) {
                    yes |= 1 << UInt64(index)
                    break
                }
            }
        }
    }

    private func passes(_ text: String, _ question: Int) -> Bool {
        for test in conditions.questions[question].tests.indices
        where conditions.questions[question].tests[test].holds(text, &steps) { return true }
        return false
    }

    func endStage() -> Bool {
        isKept = conditions.hold(stage, yes)
        stage += 1
        return isKept
    }

    func endElement() -> Bool {
        steps += 1
        if isKept { kept.append(seen) }
        seen += 1
        (yes, stage) = (0, 0)
        return steps < stepsMax
    }

    private func asks(_ question: Int, _ column: Int) -> Bool {
        conditions.questions[question].column == column && conditions.questions[question].stage == stage
    }

    private func ask(_ column: Int, _ field: Operand, _ members: DirectConditions.Members) {
        for index in conditions.questions.indices where asks(index, column) {
            ask(question: index, field, members)
        }
    }

    private func ask(question index: Int, _ field: Operand, _ members: DirectConditions.Members) {
        let node = conditions.questions[index].node
        if conditions.operand(node, of: field, members, .null, &steps).isTrue { yes |= 1 << UInt64(index) }
    }
}
