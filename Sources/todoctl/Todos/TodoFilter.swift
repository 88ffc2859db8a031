/// Which todos a person wants to see.
struct TodoFilter: Equatable {
    enum Which {
        case open
        case done
        case all
    }

    var which = Which.open
    var isOverdueOnly = false
    /// All of them must be there.
    var tags: [String] = []
    /// Each word must stand in the title, the note or a tag, in whatever case.
    var words: [String] = []

    // The daemon takes no longer expression.
    private static let conditionBytesMax = 4_096

    /// What the daemon is asked for: an expression on the fields of a todo, or `nil`.
    ///
    /// It lets through whatever `holds` does, and perhaps more: the daemon does not look for words, and knows nothing of `now` when
    /// that is nil.
    func condition(at now: Moment?) -> String? {
        var conditions: [String] = []
        switch which {
        case .open: conditions.append("not completed")
        case .done: conditions.append("completed")
        case .all: break
        }
        if isOverdueOnly, let now {
            let (day, minute) = (now.day.text, Due.clock(now.second / 60))
            // A day passes at its end, a minute at its beginning.
            conditions.append("(due < \"\(day)\" or due >= \"\(day)T\" and due <= \"\(day)T\(minute)\")")
        }
        for tag in tags { conditions.append("any(tag in tags: tag == \(TodoFilter.quoted(tag)))") }
        var condition = ""
        for part in conditions {
            let longer = condition.isEmpty ? part : condition + " and " + part
            if longer.utf8.count <= TodoFilter.conditionBytesMax { condition = longer }
        }
        return condition.isEmpty ? nil : condition
    }

    private static func quoted(_ text: String) -> String {
        let escaped = text.unicodeScalars.map { scalar in
            switch scalar {
            case "\"", "\\": "\\\(scalar)"
            case _ where scalar.value < 0x20: "\\u{\(String(scalar.value, radix: 16))}"
            default: String(scalar)
            }
        }
        return "\"" + escaped.joined() + "\""
    }

    /// Whether a todo is among them.
    func holds(_ todo: Todo, at now: Moment) -> Bool {
        switch which {
        case .open: guard !todo.isDone else { return false }
        case .done: guard todo.isDone else { return false }
        case .all: break
        }
        if isOverdueOnly {
            guard !todo.isDone, let due = todo.due, due.isOver(at: now) else { return false }
        }
        guard tags.allSatisfy(todo.tags.contains) else { return false }
        guard !words.isEmpty else { return true }
        let texts = ([todo.title, todo.note] + todo.tags).map { Array($0.lowercased().utf8) }
        return words.allSatisfy { word in
            let sought = Array(word.lowercased().utf8)
            return texts.contains { TodoFilter.contains($0, sought) }
        }
    }

    private static func contains(_ text: [UInt8], _ sought: [UInt8]) -> Bool {
        guard let first = sought.first else { return true }
        guard text.count >= sought.count else { return false }
        for start in 0...(text.count - sought.count) where text[start] == first {
            if text[start...].starts(with: sought) { return true }
        }
        return false
    }
}
