import Chronicle
import Dates
import Terminal
import TodoRules

extension ScreenModel {
    mutating func pressPrompt(_ key: ScreenKey) -> [ScreenRequest] {
        guard var prompt else { return [] }
        switch key {
        case .escape:
            self.prompt = nil
            return prompt.purpose == .filter ? setFilter(to: "") : []
        case .enter: return take(prompt)
        // The cursor keys move in the list while a filter is being typed.
        case .up where prompt.purpose == .filter, .down where prompt.purpose == .filter: return pressList(key)
        default:
            let before = prompt.entry.text
            let isNote = if case .field(.note, _) = prompt.purpose { true } else { false }
            guard prompt.entry.press(key, breaksLines: isNote) else { return [] }
            self.prompt = prompt
            message = nil
            return prompt.purpose == .filter && prompt.entry.text != before ? setFilter(to: prompt.entry.text) : []
        }
    }

    /// Why Enter would be refused; `nil` if it is accepted.
    var promptMistake: String? {
        guard let prompt else { return nil }
        switch prompt.purpose {
        case .filter: return question?.mistake
        case .answer: return prompt.entry.text.trimmed.isEmpty ? "" : nil
        case .time(let purpose, _): return prompt.entry.text.trimmed.isEmpty ? "" : mistake(ofTime: purpose, prompt.entry.text)
        case .add:
            do throws(Failure) { _ = try added(prompt.entry.text) } catch { return Self.sentence(error) }
        case .field(let field, let ids):
            do throws(Failure) { _ = try drafts(field, ids, prompt.entry.text) } catch { return Self.sentence(error) }
        case .action(let pending):
            do throws(Failure) { _ = try pending.taking(prompt.entry.text) } catch { return Self.sentence(error) }
        }
        return nil
    }

    var promptReading: String? {
        guard let prompt else { return nil }
        switch prompt.purpose {
        case .add:
            do throws(Failure) { return try added(prompt.entry.text).details } catch { return nil }
        case .field(.due, _):
            do { return try dates.due(prompt.entry.text).long } catch { return nil }
        case .time(let purpose, _): return reading(ofTime: purpose, prompt.entry.text)
        default: return nil
        }
    }

    private mutating func take(_ prompt: Prompt) -> [ScreenRequest] {
        let text = prompt.entry.text
        guard prompt.purpose == .filter || promptMistake == nil else { return [] }
        self.prompt = nil
        do throws(Failure) {
            switch prompt.purpose {
            case .filter: return []
            case .add:
                let added = try added(text)
                let title = Visible.text(added.draft.title ?? "") + (added.details.map { " (\($0))" } ?? "")
                self.prompt = Prompt(.add)
                return dispatch([TodoAction.add(added.draft)], .added(title), typed: .line(prompt))
            case .field(let field, let ids): return edit(try drafts(field, ids, text), typed: .line(prompt))
            case .answer(let flow):
                let answer = FeatureAction.make("flows", "answer", ["id": .int(flow), "text": .text(text.trimmed)])
                return dispatch([answer], .text("Answered."), typed: .line(prompt))
            case .action(let pending): return continueAction(try pending.taking(text), typed: prompt)
            case .time(let purpose, _):
                guard presence == .connected else {
                    self.prompt = prompt
                    message = ScreenMessage(text: "The daemon is away.", kind: .failure)
                    return []
                }
                time.typed = prompt
                return typedTime(purpose, text.trimmed)
            }
        } catch {
            message = ScreenMessage(text: Self.sentence(error), kind: .failure)
            return []
        }
    }

    /// Restores refused input in its prompt or form, once no other input is open.
    mutating func restoreRefused() {
        guard form == nil, prompt.map({ $0.purpose == .add && $0.entry.isEmpty }) ?? true, !refused.isEmpty else { return }
        switch refused.removeFirst() {
        case .line(let typed): prompt = typed
        case .form(let typed): (form, prompt) = (typed, nil)
        }
    }

    /// The draft of a new todo, and a description of everything but the title.
    private func added(_ text: String) throws(Failure) -> (draft: TodoDraft, details: String?) {
        let captured = QuickCapture(text.split(whereSeparator: \.isWhitespace).map(String.init), reader: dates)
        if let mistake = TitleRule.mistake(in: captured.title.joined(separator: " ")) { throw Failure(.usage, mistake) }
        try captured.checkPriority()
        let draft = try captured.draft(at: moment)
        var details: [String] = []
        if case .some(.some(let due)) = draft.due { details.append("due " + due.long) }
        if let every = draft.every { details.append(every) }
        if let level = draft.priority { details.append(Priority(level: level).name) }
        if let after = draft.after { details.append("after " + TodoSentences.ids(after)) }
        details += (draft.tags ?? []).map { "#" + Visible.text($0) }
        return (draft, details.isEmpty ? nil : details.joined(separator: ", "))
    }

    private func drafts(_ field: TodoField, _ ids: [Int64], _ text: String) throws(Failure) -> [(todo: Todo, draft: TodoDraft)] {
        var same = TodoDraft()
        let tags = field == .tags ? TagEdit(text) : nil
        if tags == nil { try field.read(text, into: &same, dates) }
        var drafts: [(todo: Todo, draft: TodoDraft)] = []
        for todo in ids.compactMap({ todos[$0] }) {
            let draft = try tags.map { tags throws(Failure) in
                try TodoEdit(draft: same, tags: tags.added, untag: tags.removed).applied(to: todo, at: moment)
            }
            drafts.append((todo, draft ?? same))
        }
        return drafts
    }

    mutating func edited(_ number: Int, _ text: String?) -> [ScreenRequest] {
        guard var note = editedNotes.removeValue(forKey: number), let text else { return [.redraw] }
        var written = text[...]
        while written.last?.isNewline == true { written.removeLast() }
        note.text = String(written)
        waitingNotes.append(note)
        return [.redraw] + writeNotes()
    }

    /// Writes finished notes once the list is current; replaces only the note that the editor was given.
    mutating func writeNotes() -> [ScreenRequest] {
        guard areTodosComplete, let known = todosAt, !waitingNotes.isEmpty else { return [] }
        let ready = waitingNotes.filter { $0.after < known }
        waitingNotes.removeAll { $0.after < known }
        var requests: [ScreenRequest] = []
        for var note in ready {
            note.after = known
            if note.epoch != head?.epoch {
                requests += keep(note, Self.anotherLog + ".")
            } else if let todo = todos[note.id] {
                guard todo.note.hasSameBytes(as: note.before) else {
                    requests += keep(note, "Another client changed the note of \(note.id).")
                    continue
                }
                requests += edit([(todo, TodoDraft(note: note.text))], note: note)
            } else {
                requests += keep(note, "Todo \(note.id) no longer exists.")
            }
        }
        return requests
    }

    func keep(_ note: EditedNote, _ why: String) -> [ScreenRequest] { [.keep(note.text, why: why)] }
}

extension ScreenModel {
    mutating func pressForm(_ key: ScreenKey) -> [ScreenRequest] {
        guard var form else { return [] }
        let count = TodoField.allCases.count
        switch key {
        case .escape: self.form = nil
        case .up, .backTab:
            form.focus = TodoField(rawValue: (form.focus.rawValue + count - 1) % count) ?? .title
            self.form = form
        case .down, .tab:
            form.focus = TodoField(rawValue: (form.focus.rawValue + 1) % count) ?? .title
            self.form = form
        case .enter:
            do throws(EditForm.Mistake) {
                let draft = try form.draft(dates)
                // Keeps concurrent changes of other fields.
                guard let todo = todos[form.id] else {
                    message = ScreenMessage(text: "Todo \(form.id) no longer exists.", kind: .failure)
                    return []
                }
                self.form = nil
                return edit([(todo, draft)], typed: .form(form))
            } catch {
                form.focus = error.field
                self.form = form
            }
        default:
            guard form.entries[form.focus.rawValue].press(key, breaksLines: form.focus == .note) else { return [] }
            self.form = form
            message = nil
        }
        return []
    }

    var formMistake: EditForm.Mistake? {
        guard let form else { return nil }
        do throws(EditForm.Mistake) { _ = try form.draft(dates) } catch { return error }
        return nil
    }
}

extension QuickCapture {
    func draft(at now: Moment) throws(Failure) -> TodoDraft {
        var draft = TodoDraft(title: title.joined(separator: " "))
        if !tags.isEmpty { draft.tags = tags }
        if !after.isEmpty { draft.after = after }
        draft.priority = priority?.level
        if let due { draft.due = due }
        if let recurrence { draft.every = recurrence.text }
        draft.ruleMinute = minute
        try draft.takeRuleMinute()
        draft.beginRecurring(at: now)
        draft.dropNone()
        return draft
    }
}

struct TagEdit: Equatable {
    var added: [String] = []
    var removed: [String] = []

    init(_ text: String) {
        for (sign, name) in Tags.signed(text) {
            if sign == "-" { removed.append(name) } else { added.append(name) }
        }
    }
}
