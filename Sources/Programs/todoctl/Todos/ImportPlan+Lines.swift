import TodoFormats

extension ImportPlan {
    /// `12 added, 3 changed, 40 unchanged`.
    var counts: String {
        let counts = [(added.count, "added"), (changed.count, "changed"), (unchanged, "unchanged"), (leftOut, "left out")]
        let told = counts.filter { $0.0 > 0 }.map { "\(Digits.grouped($0.0)) \($0.1)" }
        return told.isEmpty ? "no todos" : told.joined(separator: ", ")
    }

    var isEmpty: Bool { added.isEmpty && changed.isEmpty }

    /// One line each for the first added and changed todos.
    var lines: [String] {
        Self.first(of: added, "+") { Visible.text($0.title) } + changedLines
    }

    /// One line each for the first changed todos.
    var changedLines: [String] { Self.first(of: changed, "~", \.sentence) }

    private static func first<Element>(of all: [Element], _ mark: String, _ text: (Element) -> String) -> [String] {
        let most = TodoSentences.namedMax
        let more = all.count > most ? ["  \(mark) and \(Digits.grouped(all.count - most)) more"] : []
        return all.prefix(most).map { "  \(mark) \(text($0))" } + more
    }
}

extension ImportPlan.Change {
    /// `4: due Thu 26 Nov 2026 → none`.
    fileprivate var sentence: String {
        var new = todo.changed(by: draft)
        if let isDone { new.completed = isDone ? completed ?? 0 : nil }
        var differences = TodoSentences.differences(todo, new)
        if after != nil { differences.append("dependencies") }
        if origin != nil { differences.append("other details from its file") }
        return "\(todo.id): " + differences.joined(separator: ", ")
    }
}
