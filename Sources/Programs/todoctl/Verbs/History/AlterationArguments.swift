import Chronicle
import TodoAPI

/// Alterations of the history from the command line: `12..20`, `12={"counter": {"reset": {}}}`.
struct AlterationArguments {
    /// Resolves a record such as `@-3`.
    let record: (String) throws(Failure) -> UInt64

    func alterations(skip: [String], edit: [String], insert: [String]) throws(Failure) -> [AlterationMessage] {
        var alterations: [AlterationMessage] = []
        for word in skip { alterations.append(try self.skip(word)) }
        for word in edit {
            let (sequence, rest) = try parts(word, of: "--edit 12={...}")
            alterations.append(AlterationMessage(edit: sequence, action: try action(rest)))
        }
        for word in insert {
            let (sequence, rest) = try parts(word, of: "--insert 12={...}")
            alterations.append(AlterationMessage(insert: sequence, action: try action(rest)))
        }
        return alterations
    }

    private func skip(_ word: String) throws(Failure) -> AlterationMessage {
        let words = try RangeWords(word)
        guard let first = try number(words.first[...]), let last = try number(words.last[...]) else {
            throw RangeWords.failure(word)
        }
        return AlterationMessage(skip: first, through: first == last ? nil : last)
    }

    private func parts(_ word: String, of example: String) throws(Failure) -> (UInt64, Substring) {
        guard let equals = word.utf8.firstIndex(of: UInt8(ascii: "=")), let sequence = try number(word[..<equals]) else {
            throw Failure(.usage, "\(Visible.text(word)): write \(example).")
        }
        return (sequence, word[equals...].dropFirst())
    }

    private func action(_ text: Substring) throws(Failure) -> Value {
        let actions = try Dispatch.actions(Array(text.utf8))
        guard let action = actions.first, actions.count == 1 else {
            throw Failure(.usage, "expected one action, not \(actions.count).")
        }
        return action
    }

    private func number(_ text: Substring) throws(Failure) -> UInt64? {
        if text.hasPrefix("@") { return try record(String(text)) }
        guard let number = UInt64(text), number <= Int64.exactMax, !text.hasPrefix("+") else { return nil }
        return number
    }
}
