import Chronicle
import Dates
import Terminal

extension ScreenModel {
    static let listKeys: [KeyHelp] = [
        KeyHelp("↑ ↓, j k, PgUp PgDn, Home End", "move"),
        KeyHelp("a", "add: words, a date at the end, #tag, !high, every monday", short: "add", rank: 1),
        KeyHelp("x", "done, or open again", short: "done", rank: 1),
        KeyHelp("e, Enter", "edit title, due, priority, tags and note", short: "edit", rank: 1),
        KeyHelp("N", "the note in your editor"),
        KeyHelp("D P # n", "due, priority, tags, note of all marked"),
        KeyHelp("+ -", "more or less important"),
        KeyHelp("Delete, X", "remove"),
        KeyHelp("J K", "move it down or up in the list"),
        KeyHelp("/", "filter: words, #tag, due<friday, is:overdue, @view", short: "filter", past: "filter"),
        KeyHelp("s", "change the sort order", short: "sort", past: "sort", rank: 3),
        KeyHelp("v", "mark, to change several at once", short: "mark"),
        KeyHelp("V", "mark all shown, or none"),
        KeyHelp("Esc", "clear the marks, then the filter"),
    ]

    mutating func pressList(_ key: ScreenKey) -> [ScreenRequest] {
        let page = max(ScreenRegions(size).list.height - 1, 1)
        switch key {
        case .up, .character("k"): select(line: list.line - 1, -1)
        case .down, .character("j"): select(line: list.line + 1, 1)
        case .pageUp: select(line: list.line - page, -1)
        case .pageDown: select(line: list.line + page, 1)
        case .home: select(line: 0, 1)
        case .end, .character("G"): select(line: .max, -1)
        case .character("v"): mark()
        case .character("V"): list.marked = list.marked.isEmpty ? Set(shownRows.ids) : []
        case .character("s"): sort()
        case .character("/"): prompt = Prompt(.filter, list.filter)
        case .escape:
            if !list.marked.isEmpty {
                list.marked = []
            } else if !list.filter.isEmpty {
                return setFilter(to: "")
            }
        default: return change(with: key)
        }
        return []
    }

    private mutating func mark() {
        guard let id = list.selected else { return }
        if list.marked.remove(id) == nil { list.marked.insert(id) }
        select(line: list.line + 1, 1)
    }

    private mutating func sort() {
        let all: [TodoOrder] = [.due, .list, .priority, .title, .created, .urgency]
        let place = all.firstIndex(of: rows.sort) ?? 0
        let next = all[(place + 1) % all.count]
        rows.sort(by: next, todos, clock)
        pastRows.sort(by: next, time.todos ?? TodoList(), clock(at: shownMoment))
        message = ScreenMessage(text: "Sorted by \(next == .list ? "the order of the list" : next.rawValue).", kind: .note)
    }

    /// The todos that a key affects: the marked ones in display order, or the selected one.
    var targets: [Todo] {
        guard !list.marked.isEmpty else { return selectedTodo.map { [$0] } ?? [] }
        let shown = shownRows.ids.filter(list.marked.contains)
        let hidden = list.marked.subtracting(shown).sorted()
        return (shown + hidden).compactMap { shownTodos[$0] }
    }

    private mutating func change(with key: ScreenKey) -> [ScreenRequest] {
        guard let change = ListChange(key) else { return [] }
        if let refusal {
            message = ScreenMessage(text: refusal, kind: .note)
            return []
        }
        let targets = targets
        if change == .add {
            prompt = Prompt(.add)
            return []
        }
        guard let first = targets.first else { return [] }
        switch change {
        case .add: return []
        case .done: return complete(targets)
        case .edit:
            if targets.count == 1 { form = EditForm(first) } else { ask(.title, targets) }
        case .editor:
            guard context.hasEditor else {
                message = ScreenMessage(text: "No editor is set: export EDITOR=nano, or edit the note with e.", kind: .failure)
                return []
            }
            let number = nextCall()
            editedNotes[number] = EditedNote(id: first.id, before: first.note, epoch: head?.epoch)
            return [.edit(RequestTag(.list, number), first.note)]
        case .field(let field): ask(field, targets)
        case .priority(let difference):
            let drafts = targets.map { todo in
                (todo, TodoDraft(priority: min(max(todo.priority + difference, 0), 3)))
            }.filter { $0.0.priority != $0.1.priority }
            return edit(drafts)
        case .remove:
            let sentence = Self.sentence(TodoSentences(targets).removed, "Removed", targets.count)
            list.marked = []
            return dispatch(targets.map { TodoAction.remove($0.id) }, .text(sentence))
        case .move(let difference): return move(first, by: difference)
        }
        return []
    }

    private mutating func ask(_ field: TodoField, _ targets: [Todo]) {
        guard field != .title || targets.count == 1 else {
            message = ScreenMessage(text: "Several are marked: D sets their due, P their priority, # their tags.", kind: .note)
            return
        }
        // For several todos, the tags are additions and removals.
        let text = targets.count == 1 && field != .tags ? targets.first.map { EditForm.text(field, of: $0) } ?? "" : ""
        prompt = Prompt(.field(field, targets.map(\.id)), text)
    }

    private mutating func complete(_ targets: [Todo]) -> [ScreenRequest] {
        let isReopening = targets.allSatisfy(\.isDone)
        let meant = isReopening ? targets : targets.filter { !$0.isDone }
        let now = moment.day
        let today = now == Zone { _ in 0 }.moment(at: self.now / 1_000_000).day ? nil : now
        let sentences = TodoSentences(meant)
        let sentence =
            isReopening
            ? Self.sentence(sentences.open, "Reopened", meant.count) : Self.sentence(sentences.done, "Done", meant.count)
        // A completed todo leaves its line; the cursor stays.
        if list.marked.isEmpty { moveCursor(off: meant) }
        list.marked = []
        let actions = meant.map { isReopening ? TodoAction.reopen($0.id) : TodoAction.complete($0.id, on: today) }
        return dispatch(actions, .text(sentence))
    }

    /// Moves the cursor to the neighbour of a todo that is about to move.
    private mutating func moveCursor(off todos: [Todo]) {
        guard let id = todos.first?.id, id == list.selected else { return }
        // A heading may separate the neighbours.
        for place in [1, 2, -1, -2].map({ list.line + $0 }) {
            guard case .todo(let neighbour)? = shownRows[place], shownTodos[neighbour]?.isDone == todos.first?.isDone else {
                continue
            }
            list.selected = neighbour
            return
        }
    }

    private mutating func move(_ todo: Todo, by difference: Int) -> [ScreenRequest] {
        guard let line = rows.index(of: todo.id) else { return [] }
        guard case .todo(let neighbour)? = rows[line + difference], rows.areEqual(todo.id, neighbour),
            let place = todos.index(of: neighbour)
        else {
            let isOfList = rows.sort == .list
            let sorted = "They are sorted by \(rows.sort.rawValue): s sorts them by the order of the list."
            message = ScreenMessage(text: isOfList ? "There it ends." : sorted, kind: .note)
            return []
        }
        return dispatch([TodoAction.move(todo.id, to: place)], .none)
    }

    mutating func edit(
        _ drafts: [(todo: Todo, draft: TodoDraft)], note: EditedNote? = nil, typed: Typed? = nil
    ) -> [ScreenRequest] {
        let changed = drafts.filter { !$0.draft.fields.isEmpty && $0.todo.changed(by: $0.draft) != $0.todo }
        guard let first = changed.first else {
            message = ScreenMessage(text: drafts.isEmpty ? "Nothing is changed." : "Nothing changes.", kind: .note)
            return []
        }
        list.marked = []
        let sentence =
            changed.count == 1
            ? TodoSentences([first.todo]).changed(at: moment) { _ in first.draft }.joined()
            : "Changed \(Digits.counted(changed.count, "todo"))."
        return dispatch(changed.map { TodoAction.edit($0.todo.id, $0.draft) }, .text(sentence), note: note, typed: typed)
    }

    static func sentence(_ lines: [String], _ verb: String, _ count: Int) -> String {
        count == 1 ? lines.first ?? "" : "\(verb): \(Digits.counted(count, "todo"))."
    }
}

private enum ListChange: Equatable {
    case add, done, edit, editor
    case field(TodoField)
    case priority(Int)
    case remove
    case move(Int)

    init?(_ key: ScreenKey) {
        switch key {
        case .character("a"): self = .add
        case .character("x"): self = .done
        case .character("e"), .enter: self = .edit
        case .character("N"): self = .editor
        case .character("D"): self = .field(.due)
        case .character("P"): self = .field(.priority)
        case .character("#"): self = .field(.tags)
        case .character("n"): self = .field(.note)
        case .character("+"): self = .priority(1)
        case .character("-"): self = .priority(-1)
        case .character("X"), .delete: self = .remove
        case .character("J"): self = .move(1)
        case .character("K"): self = .move(-1)
        default: return nil
        }
    }
}
