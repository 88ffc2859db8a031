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
