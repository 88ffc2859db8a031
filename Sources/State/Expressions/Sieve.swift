import Reducing
import Values

/// Asks elements what one field alone answers, and keeps those for which all conditions hold.
final class Sieve: ColumnReader {
    private let conditions: DirectConditions
    private let stepsMax: Int
    // The steps that it may still take, which it may exceed by those of one function.
    private var left: Int
    // Whether a question about the element that is shown was not asked to its end, since no steps were left.
    private var isCutShort = false
    // The place of the element that is shown.
    private var place: Int
    // A bit for each question that was answered with yes.
    private var yes: UInt64 = 0
    private var stage = 0
    private var isKept = false
    /// How many elements were looked at.
    private(set) var seen = 0
    /// The places of those it keeps.
    private(set) var kept: [Int] = []
    /// The last place among them, where it takes more steps than there were to find out whether it meets the conditions.
    private(set) var undecided: Int?
    /// What an element has for which they may hold.
    let needed: Signature
    /// Where is kept what elements have.
    let memory: ListMemory?

    /// Makes a sieve that is shown the elements from a place on, and wants no more of them behind so many steps.
    init(_ conditions: DirectConditions, needed: Signature, from place: Int, stepsMax: Int, _ memory: ListMemory?) {
        (self.conditions, self.needed, self.memory) = (conditions, needed, memory)
        (self.place, self.stepsMax, left) = (place, stepsMax, stepsMax)
    }

    /// What it took.
    var steps: Int { stepsMax - left }

    func readNothing(_ column: Int) {
        answer(column) { question in
            left -= 1
            return conditions.answeredByNothing & 1 << UInt64(question) != 0
        }
    }

    func read(_ column: Int, _ value: Value) {
        let field = OneColumn(Operand(value), ColumnMembers(value))
        answer(column) { holds($0, field) }
    }

    func read(_ column: Int, text: String) {
        answer(column) { question in
            conditions.questions[question].isOfMembers || conditions.questions[question].tests.isEmpty
                ? holds(question, OneColumn(.text(text), .none)) : passes(text, question)
        }
    }

    func read(_ column: Int, texts: [String]) {
        answer(column) { question in
            guard conditions.questions[question].isOfMembers, !conditions.questions[question].tests.isEmpty else {
                return holds(question, OneColumn(.whole, .texts(texts)))
            }
            left -= 1
            return texts.contains { passes($0, question) }
        }
    }

    func endStage() -> Bool {
        isKept = !isCutShort && conditions.hold(stage, yes)
        stage += 1
        return isKept
    }

    func endElement() -> Bool {
        left -= 1
        if isCutShort {
            // Where others were looked at before it is for the next one, which has all its steps for it.
            guard seen == 0 else { return false }
            (undecided, isKept) = (place, true)
        }
        if isKept { kept.append(place) }
        (place, seen) = (place + 1, seen + 1)
        (yes, stage, isKept) = (0, 0, false)
        return left > 0
    }

    // Answers the questions of a column in this stage.
    private func answer(_ column: Int, _ isYes: (Int) -> Bool) {
        for question in conditions.questions.indices
        where conditions.questions[question].column == column && conditions.questions[question].stage == stage {
            guard left > 0 else {
                isCutShort = true
                return
            }
            if isYes(question) { yes |= 1 << UInt64(question) }
        }
    }

    private func holds(_ question: Int, _ field: OneColumn) -> Bool {
        let holds = conditions.tree.operand(conditions.questions[question].node, of: field, .null, &left).isTrue
        if left <= 0 { isCutShort = true }
        return holds
    }

    private func passes(_ text: String, _ question: Int) -> Bool {
        for test in conditions.questions[question].tests.indices {
            guard left > 0 else {
                isCutShort = true
                return false
            }
            var steps = 1
            defer { left -= steps }
            if conditions.questions[question].tests[test].holds(text, &steps) { return true }
        }
        return false
    }
}
