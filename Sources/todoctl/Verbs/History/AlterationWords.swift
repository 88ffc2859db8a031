import Reducing
import TodoAPI
import Varlink

/// Alterations of history as a person writes them: `12..20`, `12={"counter": {"reset": {}}}`, `12=3`.
enum AlterationWords {
    static func alterations(
        skip: [String], edit: [String], insert: [String], move: [String]
    ) throws(Failure) -> [AlterationMessage] {
        var alterations: [AlterationMessage] = []
        for word in skip { alterations.append(try Self.skip(word)) }
        for word in edit {
            let (sequence, rest) = try parts(word, of: "--edit 12={...}")
            alterations.append(AlterationMessage(edit: sequence, action: try action(rest)))
        }
        for word in insert {
            let (sequence, rest) = try parts(word, of: "--insert 12={...}")
            alterations.append(AlterationMessage(insert: sequence, action: try action(rest)))
        }
        for word in move {
            let (sequence, rest) = try parts(word, of: "--move 12=3")
            guard let place = number(rest) else { throw Failure(.usage, "\(Visible.text(word)): write --move 12=3.") }
            alterations.append(AlterationMessage(move: sequence, after: place))
        }
        return alterations
    }

    private static func skip(_ word: String) throws(Failure) -> AlterationMessage {
        if let sequence = number(word[...]) { return AlterationMessage(skip: sequence) }
        guard let dots = word.utf8.firstIndex(of: UInt8(ascii: ".")), word[dots...].hasPrefix(".."),
            let first = number(word[..<dots]), let last = number(word[dots...].dropFirst(2)), first <= last
        else { throw Failure(.usage, "\(Visible.text(word)): write --skip 12, or --skip 12..20.") }
        return AlterationMessage(skip: first, through: first == last ? nil : last)
    }

    private static func parts(_ word: String, of example: String) throws(Failure) -> (UInt64, Substring) {
        guard let equals = word.utf8.firstIndex(of: UInt8(ascii: "=")), let sequence = number(word[..<equals]) else {
            throw Failure(.usage, "\(Visible.text(word)): write \(example).")
        }
        return (sequence, word[equals...].dropFirst())
    }

    private static func action(_ text: Substring) throws(Failure) -> Value {
        let actions = try Dispatch.actions(Array(text.utf8))
        guard let action = actions.first, actions.count == 1 else {
            throw Failure(.usage, "One action is expected, not \(actions.count).")
        }
        return action
    }

    private static func number(_ text: Substring) -> UInt64? {
        guard let number = UInt64(text), number < 1 << 53, !text.hasPrefix("+") else { return nil }
        return number
    }
}
