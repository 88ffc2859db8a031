import Chronicle

/// The effect of an undo on recurring todos; each reopened or completed todo shares a sentence with its successor.
struct SeriesSentences {
    /// The sentence of a pair, by the change index of the completed todo, and the index of its successor's change.
    private(set) var pairs: [Int: (next: Int, sentence: String)] = [:]
    /// The change indices of successors.
    private(set) var nexts: Set<Int> = []

    init(_ changes: [Change], paint: Paint) {
        // By series.
        var (coming, going): ([Int64: Int], [Int64: Int]) = ([:], [:])
        for (index, change) in changes.enumerated() where change.path == "todos.items" {
            guard let series = (change.new ?? change.old).flatMap(Self.series) else { continue }
            if change.kind == .insert { coming[series] = index }
            if change.kind == .remove { going[series] = index }
        }
        guard !coming.isEmpty || !going.isEmpty else { return }
        for (index, change) in changes.enumerated() where change.path == "todos.items" && change.kind == .replace {
            guard let old = change.old.flatMap(Todo.init), let new = change.new.flatMap(Todo.init), old.isDone != new.isDone,
                old.every != new.every, let next = (new.isDone ? coming : going)[Self.series(change.old ?? .null) ?? new.id],
                let successor = (changes[next].new ?? changes[next].old).flatMap(Todo.init)
            else { continue }
            // The successor's part of the sentence covers the rule's change.
            var even = new
            (even.every, even.completed) = (old.every, old.completed)
            let rest = TodoSentences.differences(old, even)
            let turned = "\(new.id): \(Visible.text(new.title)) is \(new.isDone ? "done" : "open again")"
            let other = "\(successor.id): \(Visible.text(successor.title)) (the next one) is "
            let sentence =
                turned + (rest.isEmpty ? "" : " (\(rest.joined(separator: ", ")))") + "; "
                + (new.isDone ? paint(other + "back", .green) : paint(other + "gone", .red))
            pairs[index] = (next, sentence)
            nexts.insert(next)
        }
    }

    /// The first todo of the series; `nil` if the todo starts none.
    private static func series(_ todo: Value) -> Int64? { todo["series"]?.int.flatMap { $0 == 0 ? nil : $0 } }
}
