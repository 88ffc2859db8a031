import Chronicle
import Dates
import TodoFormats
import TodoRules

/// The changes of an import: new and changed todos.
///
/// A todo is identified by its id in the file or by the id of an export, otherwise by its title. Parts that the file does not
/// specify stay, unless they came from the same file. Todos that are missing in the file stay. The origin stays if the file has
/// another format. Past reminders are ignored. For a recurring todo the current occurrence is meant: an older one that is still
/// open in the file changes nothing.
struct ImportPlan {
    struct Change {
        var todo: Todo
        var draft = TodoDraft()
        var isDone: Bool?
        /// In microseconds since 1970, if the file specifies it.
        var completed: Int64?
        /// The source ids of the todos before it, if they change.
        var after: [String]?
        /// The changed origin of an earlier occurrence that the file refers to.
        var origin: (id: Int64, Origin)?
        var line = 0
    }

    private(set) var added: [ForeignTodo] = []
    private(set) var changed: [Change] = []
    private(set) var unchanged = 0
    /// Number of skipped or repeated todos of the file.
    private(set) var leftOut: Int

    let format: TodoFormat
    let names: TodoNames
    private let place: FormatPlace
    private let now: Moment
    private let named: Set<String>
    let todos: [Int64: Todo]
    // The ids of todos that are only identified by their titles, by the hash of the title. Done todos that did not come from such
    // a file are separate: only done todos of the file match them.
    private var titled: [String: ArraySlice<Int64>] = [:]
    private var doneTitled: [String: ArraySlice<Int64>] = [:]
    private let series: ImportSeries
    // The ids of the current occurrences by the recurrence pattern of the file, if the file does not contain them.
    private var nextOfPatterns: [String: Int64] = [:]
    private var taken: Set<Int64> = []

    init(_ reading: FormatReading, _ format: TodoFormat, into list: [Todo], at place: FormatPlace, _ now: Moment) {
        self.format = format
        (self.place, self.now) = (place, now)
        leftOut = reading.leftOut
        names = TodoNames(list, format)
        named = Set(reading.todos.compactMap(\.source))
        todos = Dictionary(list.map { ($0.id, $0) }) { first, _ in first }
        series = ImportSeries(list)
        if reading.todos.contains(where: { $0.source == nil }) { noteTitles(list) }
        if format == .taskwarrior { notePatterns(list) }
        var met: Set<String> = []
        var new: [Int] = []
        for index in order(of: reading.todos) {
            let incoming = reading.todos[index]
            if let name = incoming.source, !met.insert(name).inserted {
                leftOut += 1
                continue
            }
            guard let known = match(incoming) else {
                new.append(index)
                continue
            }
            let todo = successor(of: known, for: incoming) ?? known
            taken.insert(todo.id)
            if let change = change(of: todo, knownAs: known, to: incoming) { changed.append(change) } else { unchanged += 1 }
        }
        added = new.sorted().map { reading.todos[$0] }
        changed.sort { $0.line < $1.line }
    }

    /// The order in which the file's todos choose among todos of the same title: equal ones first, then open ones, so that
    /// current occurrences match each other.
    private func order(of todos: [ForeignTodo]) -> [Int] {
        guard todos.contains(where: { $0.source == nil }) else { return Array(todos.indices) }
        let ranks = todos.map { incoming in
            if incoming.source != nil { return 0 }
            let key = TodoIdentity.number(ofTitle: incoming.title)
            let candidates = (doneTitled[key] ?? []).prefix(Self.candidatesMax) + (titled[key] ?? []).prefix(Self.candidatesMax)
            return candidates.contains { fit($0, incoming) == .state } ? 0 : incoming.isDone ? 2 : 1
        }
        // A stable sort keeps the order of the file.
        return [0, 1, 2].flatMap { rank in todos.indices.filter { ranks[$0] == rank } }
    }

    /// How similar a todo is to one of the file with the same title; lower is more similar.
    private enum Fit: Int, Comparable {
        case all, state, due, done, title

        static func < (one: Fit, other: Fit) -> Bool { one.rawValue < other.rawValue }
    }

    private func fit(_ id: Int64, _ incoming: ForeignTodo) -> Fit {
        guard let todo = todos[id] else { return .title }
        let seen = format.seen(names.foreign(todo), at: place)
        let isDue = !format.parts.contains(.due) || seen?.due == incoming.due
        let isDone = todo.isDone == incoming.isDone
        return isDue ? (isDone ? .state : .due) : isDone ? .done : .title
    }

    private func successor(of todo: Todo, for incoming: ForeignTodo) -> Todo? {
        guard !incoming.isDone || series.isAhead(incoming, of: todo), let id = series.successor(of: todo),
            !taken.contains(id)
        else { return nil }
        return todos[id]
    }

    private mutating func notePatterns(_ list: [Todo]) {
        for todo in list {
            guard let origin = todo.origin, origin.isOf(format), let id = series.successor(of: todo), todos[id]?.origin == nil,
                let pattern = origin.attributes.first(where: { $0.name == ForeignTodo.patternAttribute })
            else { continue }
            nextOfPatterns[pattern.value] = id
        }
    }

    private mutating func noteTitles(_ list: [Todo]) {
        for todo in list where todo.origin?.name(in: format) == nil {
            let number = todo.origin?.title(in: format)
            let seen = number == nil ? format.seen(names.foreign(todo), at: place) : nil
            guard let key = number ?? seen.map({ TodoIdentity.number(ofTitle: $0.title) }) else { continue }
            if number == nil, todo.isDone {
                doneTitled[key, default: []].append(todo.id)
            } else {
                titled[key, default: []].append(todo.id)
            }
        }
    }

    private mutating func match(_ incoming: ForeignTodo) -> Todo? {
        if let name = incoming.source {
            let id = names.id(named: name) ?? nextOfPattern(incoming)
            return id.flatMap { taken.contains($0) ? nil : todos[$0] }
        }
        let key = TodoIdentity.number(ofTitle: incoming.title)
        // Moved out, so that the queues are not copied.
        var done = incoming.isDone ? doneTitled.removeValue(forKey: key) : nil
        var others = titled.removeValue(forKey: key)
        defer {
            if let done { doneTitled[key] = done }
            if let others { titled[key] = others }
        }
        let ofDone = best(of: incoming, in: &done)
        let ofOthers = best(of: incoming, in: &others)
        if let ofDone, ofDone.fit <= ofOthers?.fit ?? .title { return take(ofDone.index, of: &done) }
        return ofOthers.flatMap { take($0.index, of: &others) }
    }

    /// The current occurrence for a done one, if the other program created its own next task of the same pattern.
    private func nextOfPattern(_ incoming: ForeignTodo) -> Int64? {
        incoming.isDone ? nil : incoming.attribute(ForeignTodo.patternAttribute).flatMap { nextOfPatterns[$0] }
    }

    /// The most similar todo of the title, independent of the order.
    private func best(of incoming: ForeignTodo, in queue: inout ArraySlice<Int64>?) -> (index: Int, fit: Fit)? {
        queue = queue?.drop { taken.contains($0) }
        guard let queue else { return nil }
        let candidates = queue.prefix(Self.candidatesMax).indices.filter { !taken.contains(queue[$0]) }
        guard candidates.count > 1 else { return candidates.first.map { ($0, fit(queue[$0], incoming)) } }
        let same = candidates.first { index in
            todos[queue[index]].map { change(of: $0, knownAs: $0, to: incoming, isChoice: true) == nil } ?? false
        }
        if let same { return (same, .all) }
        return candidates.map { (index: $0, fit: fit(queue[$0], incoming)) }.min { ($0.fit, $0.index) < ($1.fit, $1.index) }
    }

    private func take(_ index: Int, of queue: inout ArraySlice<Int64>?) -> Todo? {
        guard var rest = queue else { return nil }
        queue = nil
        let id = rest[index]
        // Shift the elements before it, so that only the first element is removed.
        for place in (rest.startIndex..<index).reversed() { rest[place + 1] = rest[place] }
        rest.removeFirst()
        queue = rest
        return todos[id]
    }

    // Maximum number of todos with the same title that are compared.
    private static let candidatesMax = 16

    /// The differences between a todo and the file.
    ///
    /// - Parameters:
    ///   - known: the todo that the file identifies: this one, or an earlier occurrence.
    ///   - isChoice: whether candidates are compared, so that a past occurrence counts as a difference.
    private func change(
        of todo: Todo, knownAs known: Todo, to incoming: ForeignTodo, isChoice: Bool = false
    ) -> Change? {
        guard let change = difference(of: todo, knownAs: known, from: incoming, incoming, isChoice) else { return nil }
        // The format may not be able to express the difference. Tags are compared one by one.
        guard var heard = format.seen(incoming, at: place) else { return change }
        (heard.source, heard.tags) = (incoming.source, incoming.tags)
        (heard.unsaid, heard.expressed) = (incoming.unsaid, incoming.expressed)
        return difference(of: todo, knownAs: known, from: heard, incoming, isChoice) == nil ? nil : change
    }

    /// - Parameter written: the todo as in the file; `incoming` may be a reduced form of it.
    private func difference(
        of todo: Todo, knownAs known: Todo, from incoming: ForeignTodo, _ written: ForeignTodo, _ isChoice: Bool
    ) -> Change? {
        let base = known.origin.flatMap { $0.isOf(format) ? $0 : nil }
        let foreign = names.foreign(todo)
        let seen = format.seen(foreign, at: place) ?? foreign
        var change = Change(todo: todo, line: incoming.line)
        if !seen.title.utf8.elementsEqual(incoming.title.utf8) { change.draft.title = incoming.title }
        var parts = format.parts.subtracting(incoming.unsaid)
        if format.leavesOutNone {
            // Parts that came from the file are removed with it, unless they have changed since.
            let left = parts.filter { part in
                guard let text = base?.text(of: part) else { return false }
                // Some todos before it may have been removed.
                switch part {
                case .after: return seen.after.allSatisfy(text.split(separator: ",").map(String.init).contains)
                // The rule may have been anchored here: `every month on the 31st`.
                case .every: return text == seen.text(of: part) || base?.anchoredRule == todo.every
                default: return text == seen.text(of: part)
                }
            }
            parts.formIntersection(incoming.said.union(left))
        }
        let isPast = !isChoice && series.isPast(incoming, in: todo)
        if isPast { parts.subtract([.due, .wait, .reminder, .done]) }
        // `after` does not apply to the next occurrence, and the rule moves to it.
        if todo.id != known.id { parts.remove(.after) }
        if !incoming.isDone, series.goesOnElsewhere(todo) { parts.remove(.every) }
        change.draft.tags = tags(of: todo, seen.tags, from: incoming, base)
        if parts.contains(.note), !seen.note.utf8.elementsEqual(incoming.note.utf8) { change.draft.note = incoming.note }
        if parts.contains(.priority), seen.priority != incoming.priority { change.draft.priority = incoming.priority }
        if parts.contains(.due), seen.due != incoming.due { change.draft.due = .some(incoming.due) }
        if parts.contains(.wait), seen.wait != incoming.wait { change.draft.wait = .some(incoming.wait) }
        if parts.contains(.done), incoming.isDone != todo.isDone {
            change.isDone = incoming.isDone
            change.completed = incoming.completed
        }
        let attributes = seen.attributes.filter { format.part(ofAttribute: $0.name).map(parts.contains) ?? true }
        // The format may not support the anchored rule.
        let isDropped = incoming.every == nil && base?.anchoredRule == todo.every
        // Done todos have no rule.
        if parts.contains(.every), !(change.isDone ?? todo.isDone), isDropped || seen.every != incoming.every,
            todo.every != incoming.anchoredRule?.text
        {
            change.draft.every = incoming.every?.text ?? ""
        }
        if parts.contains(.reminder), seen.reminder != incoming.reminder {
            if let reminder = incoming.reminder {
                let (due, isDone) = (change.draft.due ?? todo.due, change.isDone ?? todo.isDone)
                remind(reminder, in: &change.draft, due: due, isDone: isDone)
            } else {
                change.draft.remind = .some(nil)
            }
        }
        if parts.contains(.after) {
            let wanted = incoming.after.filter { names.id(named: $0) != nil || named.contains($0) }
            if Set(foreign.after.map(key)) != Set(wanted.map(key)) { change.after = wanted }
        }
        let origin = origin(of: written, base, change)
        if todo.id != known.id {
            if let base, !Self.isSame(base, origin) { change.origin = (known.id, origin) }
        } else if base != nil || known.origin == nil {
            // Imported todos are compared with their imported text, others with their export.
            let isSame =
                base.map { Self.isSame($0, origin) }
                ?? (origin.said.count < 2 && Self.sorted(attributes) == Self.sorted(incoming.attributes))
            if !isSame { change.draft.origin = origin }
        }
        let isSame = change.draft == TodoDraft() && change.isDone == nil && change.after == nil && change.origin == nil
        return isSame ? nil : change
    }

    /// The new origin; a part counts as imported only if it was before, or is now.
    private func origin(of written: ForeignTodo, _ base: Origin?, _ change: Change) -> Origin {
        var origin = Origin(written, format)
        // Imports by old versions did not record it.
        if base?.said.isEmpty == true { return origin }
        origin.keepSaid(
            of: base, TodoFormat.Part.allCases.filter(change.brings),
            (change.draft.tags ?? []).filter { !change.todo.tags.contains($0) })
        return origin
    }

    /// The tags plus the file's new tags, minus the removed tags of the last import; `nil` if they stay.
    private func tags(of todo: Todo, _ seen: [String], from incoming: ForeignTodo, _ base: Origin?) -> [String]? {
        guard format.leavesOutNone else {
            return incoming.unsaid.contains(.tags) || Set(seen) == Set(incoming.tags) ? nil : incoming.tags
        }
        let gone = Set(base?.tags ?? []).subtracting(incoming.tags)
        let tags = todo.tags.filter { !gone.contains($0) }
        let new = tags + incoming.tags.filter { !seen.contains($0) && !tags.contains($0) }
        // Limited to the maximum number of tags.
        let fitting = Array(new.prefix(max(tags.count, TodoLimits.tagsMax)))
        return fitting == todo.tags ? nil : fitting
    }

    /// Sets a reminder if its time can be computed and is in the future.
    private func remind(_ reminder: ForeignReminder, in draft: inout TodoDraft, due: Due?, isDone: Bool) {
        guard let time = ReminderTime.time(reminder, before: due), isDone || !time.hasCome(at: now) else { return }
        draft.remind = .some(time)
        if case .before(let minutes) = reminder { draft.remindBefore = Int64(minutes) * 60_000_000 }
    }

    // Two ids of the same todo are equal.
    private func key(_ name: String) -> String { names.id(named: name).map { String($0) } ?? name }

    private static func isSame(_ one: Origin, _ other: Origin) -> Bool {
        var other = other
        if sorted(one.attributes) == sorted(other.attributes) { other.attributes = one.attributes }
        return one == other
    }

    private static func sorted(_ attributes: [ForeignAttribute]) -> [String] {
        attributes.map { "\($0.name)\u{0}\($0.value)" }.sorted()
    }
}

extension ImportPlan {
    /// The number of added reminders, before any is removed.
    func reminders(now: Int64) -> Int {
        let coming = added.count { todo in !todo.isDone && draft(todo, now: now).remind != nil }
        return coming
            + changed.count { change in
                let isOpen = !(change.isDone ?? change.todo.isDone)
                let (was, time) = (change.todo.waitsForReminder, change.draft.remind ?? change.todo.remind)
                // A relative reminder is set again when the due date moves.
                let moves = change.draft.due != nil && change.todo.remindBefore != nil
                return isOpen && !was && time != nil && (moves || time != change.todo.reminded)
            }
    }

    /// A new todo for the wire, except `after`.
    ///
    /// - Parameter now: microseconds since 1970.
    func draft(_ todo: ForeignTodo, now: Int64) -> TodoDraft {
        var draft = TodoDraft(title: todo.title)
        if !todo.note.isEmpty { draft.note = todo.note }
        if !todo.tags.isEmpty { draft.tags = todo.tags }
        if todo.priority > 0 { draft.priority = todo.priority }
        if let due = todo.due { draft.due = due }
        if let wait = todo.wait { draft.wait = wait }
        if let every = todo.every, !todo.isDone { draft.every = every.text }
        if let reminder = todo.reminder { remind(reminder, in: &draft, due: todo.due, isDone: todo.isDone) }
        draft.origin = Origin(todo, format)
        draft.created = todo.created
        if todo.isDone { draft.completed = todo.completed ?? todo.created ?? now }
        return draft
    }
}

extension ForeignTodo {
    /// Its rule anchored at the due date, such as `every month on the 31st`.
    fileprivate var anchoredRule: Recurrence? { every.map { rule in due.map { rule.anchored(at: $0.day) } ?? rule } }
}

extension ImportPlan.Change {
    func brings(_ part: TodoFormat.Part) -> Bool {
        switch part {
        case .note: draft.note != nil
        case .tags: false
        case .priority: draft.priority != nil
        case .due: draft.due != nil
        case .wait: draft.wait != nil
        case .after: after != nil
        case .every: draft.every != nil
        case .reminder: draft.remind != nil
        case .done: isDone != nil
        }
    }

    /// The actions for the changes, except `after`.
    var actions: [Value] {
        var actions: [Value] = []
        if draft != TodoDraft() { actions.append(TodoAction.edit(todo.id, draft)) }
        if let (id, origin) = origin { actions.append(TodoAction.edit(id, TodoDraft(origin: origin))) }
        if let isDone { actions.append(isDone ? TodoAction.complete(todo.id, at: completed) : TodoAction.reopen(todo.id)) }
        return actions
    }
}
