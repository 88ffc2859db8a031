import Reducing
import Values

extension DirectConditions {
    /// What an element surely has for which all of them hold, with a bit for each column.
    ///
    /// - Parameter columns: those that are texts or lists of texts, a bit for each.
    func needed(texts columns: UInt64) -> Signature {
        stages.reduce(Signature()) { needed, stage in
            let plain = questions.indices.filter { stage.plain & 1 << UInt64($0) != 0 }
            return (plain.map { self.needed(question: $0, columns) } + stage.joined.map { self.needed(answer: $0, columns) })
                .reduce(needed) { $0.union($1) }
        }
    }

    private func needed(answer: Int, _ texts: UInt64) -> Signature {
        switch answers[answer] {
        case .question(let question): needed(question: question, texts)
        case .not: Signature()
        case .both(let left, let right): needed(answer: left, texts).union(needed(answer: right, texts))
        case .either(let left, let right): needed(answer: left, texts).intersection(needed(answer: right, texts))
        }
    }

    // What an element has that answers a question with yes.
    private func needed(question: Int, _ texts: UInt64) -> Signature {
        guard answeredByNothing & 1 << UInt64(question) == 0 else { return Signature() }
        let column = 1 << UInt64(questions[question].column) as UInt64
        let tests = questions[question].tests.map(\.needed.texts)
        guard texts & column != 0, let first = tests.first else { return Signature(fields: column) }
        return Signature(fields: column, texts: tests.dropFirst().reduce(first, &))
    }
}
