import Chronicle
import Dates
import TodoFormats
import TodoRules

/// What an import of a file of another program changes: what is new in it, and what differs.
///
/// A todo is known again by the name that its file has for it, or by that which an export gave it. Where the file names none it is known by
/// its title. What a file does not say stays, unless it came from there, and so does what is in the list and not in the file.
/// Where a todo comes from stays as well when a file of another format means it. A reminder whose time has come is none.
/// Of what recurs the one that goes on is meant: that another one is done is no news to a file that has it open still.
struct ImportPlan {
    /// What differs of a todo that is there.
    struct Change {
        var todo: Todo
        var draft = TodoDraft()
        /// Whether it is done now, where that changes.
        var isDone: Bool?
        /// When it was completed, in microseconds since 1970, if the file says so.
        var completed: Int64?
        /// What the file calls those that are to be done before, where they change.
        var after: [String]?
        /// The origin, where it changes, of the one that the file means, if that was done before this one.
        var origin: (id: Int64, Origin)?
        /// The line of the file that says so.
        var line = 0
    }

    private(set) var added: [ForeignTodo] = []
    private(set) var changed: [Change] = []
    private(set) var unchanged = 0
    /// Those of the file that are none, or named a second time.
    private(set) var leftOut: Int

    let format: TodoFormat
    let names: TodoNames
    private let place: FormatPlace
    private let now: Moment
    private let named: Set<String>
    /// The list by ids.
    let todos: [Int64: Todo]
    // The ids of todos that are known by their titles alone, by the number of that; apart those that are done and did not come from such a
    // file: only what is done is one of them, all else is another one of the same title.
    private var titled: [String: ArraySlice<Int64>] = [:]
    private var doneTitled: [String: ArraySlice<Int64>] = [:]
    private let series: ImportSeries
    // The ids of those that go on here for one that was done, by the pattern that its file has for them; none that the file knows itself.
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

    /// In which order those of a file choose among the todos of their title: first those that find one as they are, then those that are open,
    /// so that what recurs goes on with the one that does so in the file.
    private func order(of todos: [ForeignTodo]) -> [Int] {
        guard todos.contains(where: { $0.source == nil }) else { return Array(todos.indices) }
        let ranks = todos.map { incoming in
            if incoming.source != nil { return 0 }
            let key = TodoIdentity.number(ofTitle: incoming.title)
            let candidates = (doneTitled[key] ?? []).prefix(Self.candidatesMax) + (titled[key] ?? []).prefix(Self.candidatesMax)
            return candidates.contains { fit($0, incoming) == .state } ? 0 : incoming.isDone ? 2 : 1
        }
        // A stable sort: what is equal stays in the order of the file.
        return [0, 1, 2].flatMap { rank in todos.indices.filter { ranks[$0] == rank } }
    }

    /// How near a todo is to what a file says of one of its title; the less, the nearer.
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

    /// The todo that a file means which has one that recurs open still, or done for a later time, and it was done here.
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
        // Taken out meanwhile, so that the queues are not copied.
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

    /// What goes on here for one that was done, where the other program has made a next one of its own of the same pattern.
    private func nextOfPattern(_ incoming: ForeignTodo) -> Int64? {
        incoming.isDone ? nil : incoming.attribute(ForeignTodo.patternAttribute).flatMap { nextOfPatterns[$0] }
    }

    /// Of those of a title the one that is nearest to what the file says, in whatever order they stand.
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
        // Those before it move up by one, so that the queue loses its first place and nothing else moves.
        for place in (rest.startIndex..<index).reversed() { rest[place + 1] = rest[place] }
        rest.removeFirst()
        queue = rest
        return todos[id]
    }

    // Of so many todos of the same title it is asked which of them is as the file says.
    private static let candidatesMax = 16

    /// What differs from what a file would say of a todo that is there.
    ///
    /// - Parameters:
    ///   - known: the one that the file names: the todo itself, or one that was done before it.
    ///   - isChoice: whether it is asked which one the file means, so that a time that is done with counts as well.
    private func change(
        of todo: Todo, knownAs known: Todo, to incoming: ForeignTodo, isChoice: Bool = false
    ) -> Change? {
        guard let change = difference(of: todo, knownAs: known, from: incoming, incoming, isChoice) else { return nil }
        // Said as the format says it, it may be no difference; tags are compared one by one.
        guard var heard = format.seen(incoming, at: place) else { return change }
        (heard.source, heard.tags) = (incoming.source, incoming.tags)
        (heard.unsaid, heard.expressed) = (incoming.unsaid, incoming.expressed)
        return difference(of: todo, knownAs: known, from: heard, incoming, isChoice) == nil ? nil : change
    }

    /// - Parameter written: what the file says, of which it may be another saying.
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
            // What came from the file goes with it, unless it is another by now.
            let left = parts.filter { part in
                guard let text = base?.text(of: part) else { return false }
                // Of what is to be done before some may be gone.
                switch part {
                case .after: return seen.after.allSatisfy(text.split(separator: ",").map(String.init).contains)
                // As it goes on here: `every month on the 31st`.
                case .every: return text == seen.text(of: part) || base?.anchoredRule == todo.every
                default: return text == seen.text(of: part)
                }
            }
            parts.formIntersection(incoming.said.union(left))
        }
        let isPast = !isChoice && series.isPast(incoming, in: todo)
        if isPast { parts.subtract([.due, .wait, .reminder, .done]) }
        // What came before the one does not come before the next, and what goes on with another has its rule no more.
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
        // A format may not be able to say how it goes on here.
        let isDropped = incoming.every == nil && base?.anchoredRule == todo.every
        // What is done, or becomes so, recurs no more.
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
            // What is kept of its file is compared with that; of a todo of ours, with what an export says.
            let isSame =
                base.map { Self.isSame($0, origin) }
                ?? (origin.said.count < 2 && Self.sorted(attributes) == Self.sorted(incoming.attributes))
            if !isSame { change.draft.origin = origin }
        }
        let isSame = change.draft == TodoDraft() && change.isDone == nil && change.after == nil && change.origin == nil
        return isSame ? nil : change
    }

    /// Where a todo that is there comes from: of what its file says only that came from there which did so before, or does now.
    private func origin(of written: ForeignTodo, _ base: Origin?, _ change: Change) -> Origin {
        var origin = Origin(written, format)
        // It is not known of one that was imported when that was not noted.
        if base?.said.isEmpty == true { return origin }
        origin.keepSaid(
            of: base, TodoFormat.Part.allCases.filter(change.brings),
            (change.draft.tags ?? []).filter { !change.todo.tags.contains($0) })
        return origin
    }

    /// The tags with those that come, and without those that the file had when it was imported last; `nil`: they stay.
    private func tags(of todo: Todo, _ seen: [String], from incoming: ForeignTodo, _ base: Origin?) -> [String]? {
        guard format.leavesOutNone else {
            return incoming.unsaid.contains(.tags) || Set(seen) == Set(incoming.tags) ? nil : incoming.tags
        }
        let gone = Set(base?.tags ?? []).subtracting(incoming.tags)
        let tags = todo.tags.filter { !gone.contains($0) }
        let new = tags + incoming.tags.filter { !seen.contains($0) && !tags.contains($0) }
        // Of those that come there are as many as there is room for.
        let fitting = Array(new.prefix(max(tags.count, TodoLimits.tagsMax)))
        return fitting == todo.tags ? nil : fitting
    }

    /// Has somebody be reminded, if that can be counted, and would not be at once.
    private func remind(_ reminder: ForeignReminder, in draft: inout TodoDraft, due: Due?, isDone: Bool) {
        guard let time = ReminderTime.time(reminder, before: due), isDone || !time.hasCome(at: now) else { return }
        draft.remind = .some(time)
        if case .before(let minutes) = reminder { draft.remindBefore = Int64(minutes) * 60_000_000 }
    }

    // Two names of one todo are the same.
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
    /// How many reminders come that would be waited for, before any goes that does not stay.
    func reminders(now: Int64) -> Int {
        let coming = added.count { todo in !todo.isDone && draft(todo, now: now).remind != nil }
        return coming
            + changed.count { change in
                let isOpen = !(change.isDone ?? change.todo.isDone)
                let (was, time) = (change.todo.waitsForReminder, change.draft.remind ?? change.todo.remind)
                // One that is counted from the due comes anew with that.
                let moves = change.draft.due != nil && change.todo.remindBefore != nil
                return isOpen && !was && time != nil && (moves || time != change.todo.reminded)
            }
    }

    /// A new todo in the form of the wire, but for what is to be done before.
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
    /// Its rule as that goes on from its due, such as `every month on the 31st`.
    fileprivate var anchoredRule: Recurrence? { every.map { rule in due.map { rule.anchored(at: $0.day) } ?? rule } }
}

extension ImportPlan.Change {
    /// Whether a part becomes what the file says.
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

    /// What changes, but for what is to be done before.
    var actions: [Value] {
        var actions: [Value] = []
        if draft != TodoDraft() { actions.append(TodoAction.edit(todo.id, draft)) }
        if let (id, origin) = origin { actions.append(TodoAction.edit(id, TodoDraft(origin: origin))) }
        if let isDone { actions.append(isDone ? TodoAction.complete(todo.id, at: completed) : TodoAction.reopen(todo.id)) }
        return actions
    }
}
