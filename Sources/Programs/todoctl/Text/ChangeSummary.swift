import Chronicle

/// Describes changes of the state, one sentence each; for many changes: the counts by kind and the first sentences.
struct ChangeSummary {
    static let sentencesMax = 10

    var changes: [Change]
    /// Whether an undo made the changes: `Send the invoice is back`.
    var isUndo = false
    var comesBack = false
    /// Titles of moved todos, which moves don't carry.
    var titles: [Int64: String] = [:]
    var paint: Paint

    var lines: [String] {
        let entries = self.entries
        guard entries.count > Self.sentencesMax else { return entries.map(\.sentence) }
        let rest = "and \(Digits.grouped(entries.count - Self.sentencesMax)) more"
        return [Self.counts(entries.flatMap(\.changes), comesBack: comesBack)] + entries.prefix(Self.sentencesMax).map(\.sentence)
            + [rest]
    }

    private var entries: [(changes: [Change], sentence: String)] {
        let series = isUndo ? SeriesSentences(changes, paint: paint) : nil
        let alike = isUndo ? ChangeSentence.alike(changes, titles: titles) : []
        var entries: [(changes: [Change], sentence: String)] = []
        for (index, change) in changes.enumerated() where series?.nexts.contains(index) != true {
            if let pair = series?.pairs[index] {
                entries.append(([change, changes[pair.next]], pair.sentence))
            } else if let sentence = ChangeSentence.of(
                PathDiff.netMove(index, of: changes), isUndo: isUndo, alike: alike, titles: titles, paint: paint)
            {
                entries.append(([change], sentence))
            }
        }
        return Self.inOrder(entries)
    }

    /// Sorts runs of inserted and of removed todos by id instead of by position.
    static func inOrder(_ entries: [(changes: [Change], sentence: String)]) -> [(changes: [Change], sentence: String)] {
        var (ordered, run) = (entries, 0)
        for index in entries.indices {
            if index > 0,
                outcome(entries[index].changes) == nil || outcome(entries[index].changes) != outcome(entries[index - 1].changes)
            {
                run = index
            }
            guard index + 1 == entries.count || outcome(entries[index].changes) != outcome(entries[index + 1].changes) else {
                continue
            }
            ordered[run...index].sort { ($0.changes.first?.id ?? 0) < ($1.changes.first?.id ?? 0) }
        }
        return ordered
    }

    private static func outcome(_ changes: [Change]) -> Change.Kind? {
        guard let change = changes.first, change.path == "todos.items", change.kind == .insert || change.kind == .remove else {
            return nil
        }
        return change.kind
    }

    private static let nouns: [(field: String, noun: String, nouns: String)] = [
        ("title", "title", "titles"), ("note", "note", "notes"), ("tags", "list of tags", "lists of tags"),
        ("priority", "priority", "priorities"), ("due", "due date", "due dates"), ("wait", "date of waiting", "dates of waiting"),
        ("completed", "completion", "completions"), ("after", "list of dependencies", "lists of dependencies"),
    ]

    private static let others: [(path: String, noun: String)] = [
        ("todos.draft", "draft"), ("todos", "list of todos"), ("counter", "counter"), ("posts", "posts"), ("stars", "stars"),
        ("repositories", "repositories"), ("views", "views"), ("alerts", "alerts"), ("flows", "questions"),
    ]

    /// Counts the changes of everything except todos by feature: `2 changes of the posts`.
    private static func ofOthers(_ changes: [Change]) -> [String] {
        var (order, counts): ([String], [String: Int]) = ([], [:])
        for change in changes where change.path != "todos.items" {
            let field = (change.new ?? change.old)?.record?.first?.name ?? ""
            let feature = change.path.prefix { $0 != "." }
            let known =
                others.first(where: { $0.path == "\(change.path).\(field)" }) ?? others.first(where: { $0.path == feature })
            let noun = known?.noun ?? Visible.text(String(feature))
            if counts[noun] == nil { order.append(noun) }
            counts[noun, default: 0] += 1
        }
        return order.map { "\(Digits.counted(counts[$0] ?? 0, "change")) of the \($0)" }
    }

    /// `12 todos change: 9 titles, 3 due dates; 4 come back; 2 go; 1 change of the counter`.
    static func counts(_ changes: [Change], comesBack: Bool) -> String {
        let ofTodos = changes.filter { $0.path == "todos.items" }
        var parts: [String] = []
        let replaced = ofTodos.filter { $0.kind == .replace }
        let moved = ofTodos.filter { $0.kind == .move }
        let changed = Set((replaced + moved).compactMap(\.id))
        if !changed.isEmpty {
            var kinds = nouns.compactMap { field, noun, nouns -> String? in
                let count = replaced.count { ($0.old ?? .null)[field] != ($0.new ?? .null)[field] }
                return count == 0 ? nil : Digits.counted(count, noun, nouns)
            }
            if !moved.isEmpty { kinds.append(Digits.counted(moved.count, "place")) }
            let verb = changed.count == 1 ? "changes" : "change"
            parts.append(
                "\(Digits.counted(changed.count, "todo")) \(verb)" + (kinds.isEmpty ? "" : ": ") + kinds.joined(separator: ", "))
        }
        let back = comesBack ? " back" : ""
        note(ofTodos.count { $0.kind == .insert }, "comes" + back, "come" + back, &parts)
        note(ofTodos.count { $0.kind == .remove }, "goes", "go", &parts)
        return (parts + ofOthers(changes)).joined(separator: "; ")
    }

    /// `4 come back`, or `4 todos come back` for the first part.
    private static func note(_ count: Int, _ one: String, _ several: String, _ parts: inout [String]) {
        guard count > 0 else { return }
        let noun = parts.isEmpty ? Digits.counted(count, "todo") : Digits.grouped(count)
        parts.append("\(noun) \(count == 1 ? one : several)")
    }
}

/// The effect of an undo on recurring todos; each reopened or completed todo shares a sentence with its successor.
struct SeriesSentences {
    /// The sentence of a pair, by the change index of the completed todo, and the index of its successor's change.
    private(set) var pairs: [Int: (next: Int, sentence: String)] = [:]
    private(set) var nexts: Set<Int> = []

    init(_ changes: [Change], paint: Paint) {
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
