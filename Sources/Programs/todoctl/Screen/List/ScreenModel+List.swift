import Chronicle
import TodoAPI
import Varlink

// The subscription to todos, and the filter.
extension ScreenModel {
    static let todosCall = 1
    static let filterCall = 2
    static let firstDispatch = 1_000
    /// Debounce interval between typing and the filter query, in microseconds.
    static let typingMicroseconds: Int64 = 150_000
    private static let flashesMax = 200

    mutating func followTodos() -> [ScreenRequest] {
        incoming = nil
        return [
            .call(
                RequestTag(.list, Self.todosCall), ScreenCall(SubscribeMethod.self, .init(scope: "todos"), over: .own, more: true)
            )
        ]
    }

    mutating func takeList(_ number: Int, _ reply: ScreenReply) -> [ScreenRequest] {
        switch number {
        case Self.todosCall: return takeTodos(reply)
        case Self.filterCall: return takeFound(reply)
        default: return takeDispatched(number, reply)
        }
    }

    private mutating func takeTodos(_ reply: ScreenReply) -> [ScreenRequest] {
        let output: SubscribeMethod.Output
        do throws(Failure) { output = try reply.output(SubscribeMethod.self) } catch {
            // If the daemon was too busy, reconnects and repeats all calls.
            if error.isTemporary { return lost(error) }
            message = ScreenMessage(text: Self.sentence(error), kind: .failure)
            return []
        }
        updateHead(Head(epoch: output.epoch, sequence: output.sequence, time: output.time))
        if let page = output.state {
            var list = incoming ?? TodoList()
            incoming = nil
            list.append(page["todos"]?["items"]?.list ?? [])
            guard output.complete else {
                incoming = list
                return []
            }
            list.touchAll()
            todos = list
            areTodosComplete = true
        } else if let changes = output.changes {
            // Changes without a new record come from a redaction.
            let isRedaction = output.sequence == todosAt && !changes.isEmpty
            defer { if isRedaction { forgetRedacted() } }
            let isOwn =
                !output.records.isEmpty && output.skipped == 0
                && output.records.allSatisfy { record in
                    record.key.map(ownKeys.contains) ?? false
                }
            for change in changes where change.path == "todos.items" {
                todos.apply(change)
                guard !isOwn, changes.count <= Self.flashesMax, let id = change.id, change.kind != .remove else { continue }
                self.list.flashes[id] = now + Self.flashMicroseconds
            }
        }
        todosAt = output.sequence
        let requests = writeNotes()
        guard question != nil, time.isLive else { return requests }
        question?.isStale = true
        return requests + askFilter()
    }
}

extension ScreenModel {
    /// Applies the text of a filter: at once if no daemon is needed, else after its reply.
    mutating func setFilter(to text: String) -> [ScreenRequest] {
        list.filter = text
        let isEmpty = text.allSatisfy(\.isWhitespace)
        let local = isEmpty ? nil : locally(text)
        guard isEmpty || local != nil else {
            question = FilterQuestion(text: text, tag: nil, due: now + Self.typingMicroseconds)
            return []
        }
        let wasAsked = question?.tag
        question = nil
        filter(by: local)
        return wasAsked.map { [.forget($0)] } ?? []
    }

    private func locally(_ text: String) -> LocalFilter? {
        do throws(Failure) { return try filterReader.filter([text]).condition.flatMap(LocalFilter.init) } catch { return nil }
    }

    private var filterReader: FilterReader {
        var reader = FilterReader(
            now: shownTime / 1_000_000, zone: context.zone, weekBegin: context.weekBegin, moment: shownMoment)
        reader.views = views
        return reader
    }

    private mutating func filter(by filter: LocalFilter?) {
        rows.filter(by: filter)
        pastRows.filter(by: filter)
    }

    mutating func askFilterAgain() {
        if question?.tag == nil { question?.due = now } else { question?.isStale = true }
    }

    /// Sends the filter query when its debounce has ended, or after the todos changed; evaluates it at the shown moment.
    mutating func askFilter() -> [ScreenRequest] {
        guard var question, presence == .connected, question.tag == nil, question.due <= now else { return [] }
        let condition: String?
        do throws(Failure) {
            let filter = try filterReader.filter([question.text])
            // The list shows completed and waiting todos in their own sections, so the query includes all.
            condition = try TodoFilter(which: .all, filter: filter).condition(at: shownMoment)
        } catch {
            question.mistake = Self.sentence(error)
            question.due = .max
            self.question = question
            return []
        }
        question.tag = RequestTag(.list, Self.filterCall)
        question.found = []
        question.mistake = nil
        question.isStale = false
        question.moment = time.wanted
        self.question = question
        let input =
            time.wanted.map { GetStateMethod.Input(scope: "todos.items", at: Point(sequence: $0), where: condition) }
            ?? GetStateMethod.Input(
                scope: "todos.items", minimumSequence: head?.sequence, epoch: head?.epoch, where: condition)
        return [.call(RequestTag(.list, Self.filterCall), ScreenCall(GetStateMethod.self, input, over: .questions, more: true))]
    }

    private mutating func takeFound(_ reply: ScreenReply) -> [ScreenRequest] {
        guard question?.tag != nil else { return [] }
        do throws(Failure) {
            let page = try reply.output(GetStateMethod.self)
            question?.found.formUnion(page.todos.compactMap { $0["id"]?.int })
        } catch {
            question?.mistake = Self.sentence(error)
            question?.tag = nil
            question?.due = .max
            return []
        }
        guard !reply.continues, let found = question?.found else { return [] }
        let isStale = question?.isStale == true
        question?.tag = nil
        question?.due = isStale ? now : .max
        let filter = LocalFilter.found(found)
        // Matches in the past don't apply to the present.
        if question?.moment == nil { self.filter(by: filter) } else { pastRows.filter(by: filter) }
        return askFilter()
    }
}

extension ScreenModel {
    mutating func updateRows() {
        let clock = clock
        let touched = todos.takeTouched()
        rows.update(touched, todos, clock)
        if var past = time.todos {
            let touched = past.takeTouched()
            time.todos = past
            pastRows.update(touched, past, self.clock(at: shownMoment))
        }
        let rows = shownRows
        if let wanted = list.wanted, rows.index(of: wanted) != nil {
            (list.selected, list.wanted) = (wanted, nil)
        }
        if let selected = list.selected, let line = rows.index(of: selected) {
            list.line = line
        } else {
            select(line: list.line, 1)
        }
        list.marked = list.marked.filter { shownTodos[$0] != nil }
        keepInSight(rows.count)
    }

    /// Selects the todo in a line, or the next in this direction, or in the opposite one.
    mutating func select(line: Int, _ direction: Int) {
        let rows = shownRows
        guard rows.count > 0 else {
            (list.selected, list.line) = (nil, 0)
            return
        }
        let line = min(max(line, 0), rows.count - 1)
        // Headings are never adjacent.
        for place in [line, line + direction, line - direction] {
            guard case .todo(let id)? = rows[place] else { continue }
            (list.selected, list.line) = (id, place)
            break
        }
        keepInSight(rows.count)
    }

    private mutating func keepInSight(_ count: Int) {
        let height = max(ScreenRegions(size).list.height, 1)
        // Keeps the heading above the first todo visible.
        let top =
            list.line > 0 && list.line < height + list.offset
                && shownRows[list.line - 1].map { if case .heading = $0 { true } else { false } } == true
            ? list.line - 1 : list.line
        list.offset = min(list.offset, top)
        list.offset = max(list.offset, list.line - height + 1)
        list.offset = max(0, min(list.offset, count - height))
    }
}
