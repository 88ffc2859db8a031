import ArgumentParser
import Chronicle
import Dates
import TodoAPI
import TodoFormats
import Varlink

struct TodoExport {
    let format: TodoFormat
    /// The words of the filter; empty for all todos.
    let words: [String]

    /// The text of the file, the number of todos, and the log position.
    struct Made {
        var text: String
        var count: Int
        var sequence: UInt64
        var epoch: UInt64
        /// The losses of the format, one sentence each.
        var losses: [String]
    }

    func make(_ session: Session) throws(Failure) -> Made {
        let filter = TodoFilter(which: .all, filter: try session.filter(words))
        let (todos, first) = try session.elements(try filter.input(session), Todo.init)
        let names = TodoNames(try todos + before(todos, session), format)
        let place = FormatPlace(zone: session.zone, named: Zone.named)
        let foreign = todos.map(names.foreign)
        return Made(
            text: format.write(foreign, at: place), count: todos.count, sequence: first.sequence, epoch: first.epoch,
            losses: Self.sentences(format.loss(of: foreign), format))
    }

    /// The todos outside of the export that exported todos come after.
    private func before(_ todos: [Todo], _ session: Session) throws(Failure) -> [Todo] {
        let missing = Set(todos.flatMap(\.after)).subtracting(todos.map(\.id))
        return try session.known(missing).values.sorted { $0.id < $1.id }
    }

    /// The losses as sentences, such as `3 todos recur in a way that ics can't say.`.
    static func sentences(_ loss: FormatLoss, _ format: TodoFormat) -> [String] {
        var sentences: [String] = []
        if loss.rules > 0 {
            let subject = Digits.counted(loss.rules, "todo recurs", "todos recur")
            sentences.append("\(subject) in a way that \(format.rawValue) can't say.")
        }
        for part in TodoFormat.Part.allCases {
            guard let count = loss.parts[part], let (one, more) = words(of: part) else { continue }
            sentences.append("\(Digits.counted(count, "todo \(one)", "todos \(more)")), which \(format.rawValue) can't say.")
        }
        return sentences
    }

    private static func words(of part: TodoFormat.Part) -> (one: String, more: String)? {
        switch part {
        case .note: ("has a note", "have a note")
        case .tags: ("has tags", "have tags")
        case .priority: ("has a priority", "have a priority")
        case .due: ("is due at a time", "are due at a time")
        case .wait: ("waits until a time", "wait until a time")
        case .after: ("comes after others", "come after others")
        case .reminder: ("has a reminder", "have a reminder")
        // Counted as rules, and expressed by the completion mark.
        case .every, .done: nil
        }
    }

    /// Whether a word is a file name instead of a filter.
    static func isFile(_ word: String, _ format: TodoFormat) -> Bool {
        if word.contains("/") { return true }
        let end = TodoFormat(fileName: word)
        return end == format || end == .json && format == .taskwarrior
    }
}

extension TodoFormat {
    @Sendable static func named(_ word: String) throws -> TodoFormat {
        guard let format = TodoFormat(named: word) else {
            throw ValidationError("one of \(allCases.map(\.rawValue).joined(separator: ", ")) is expected.")
        }
        return format
    }
}
