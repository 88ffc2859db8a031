import Chronicle
import Dates
import Glibc
import TodoAPI
import TodoFormats
import Varlink

/// Imports a file of another program as one step.
///
/// A small import is one dispatch; a larger one continues the step of the first. The dependencies of new todos follow in another
/// dispatch, when their ids are known. An interrupted import continues when it is repeated.
struct TodoImporter {
    private static let itemsMax = 1_000
    private static let itemsBytesMax = 256 << 10
    private static let batchActionsMax = 8_000
    private static let batchBytesMax = 640 << 10
    // How often the plan is repeated because the list changes.
    private static let attemptsMax = 20

    let session: Session
    let format: TodoFormat
    let name: String

    private var step: UInt64?
    private var ids: [Int64] = []

    init(_ session: Session, _ format: TodoFormat, file name: String) {
        self.session = session
        self.format = format
        self.name = name
    }

    mutating func run(_ bytes: [UInt8], isDryRun: Bool) throws(Failure) {
        let place = FormatPlace(zone: session.zone, named: Zone.named)
        let reading: FormatReading
        do throws(FormatError) { reading = try format.read(bytes, at: place) } catch {
            throw Failure(.damaged, "Nothing was imported. \(Visible.text(name)): \(Visible.text(error.description))")
        }
        var (plan, page) = try planned(reading, at: place)
        var attempts = 0
        while true {
            if isDryRun { tell(plan, isDryRun: true) }
            try checkReminders(plan)
            if isDryRun { return }
            guard !plan.isEmpty else { return tell(plan, isDryRun: false) }
            do throws(Failure) {
                try send(plan, page)
                return tell(plan, isDryRun: false)
            } catch {
                attempts += 1
                if case .staleSequence(let sequence) = error.known, step == nil, attempts < Self.attemptsMax {
                    // A large list may always change while it is read, so irrelevant changes are ignored.
                    if try isInvalidated(plan, since: page.sequence, through: sequence) {
                        (plan, page) = try planned(reading, at: place)
                    } else {
                        page.sequence = sequence
                    }
                    continue
                }
                guard let step = self.step else { throw error }
                var failure = error
                failure.message += "\nA part was imported before this. To undo it: todoctl undo \(step)"
                throw failure
            }
        }
    }

    private func planned(_ reading: FormatReading, at place: FormatPlace) throws(Failure) -> (ImportPlan, StatePage) {
        let (list, page) = try session.elements(.init(scope: "todos.items"), Todo.init)
        let plan = ImportPlan(reading, format, into: list, at: place, session.now)
        if let cycle = ImportCycle(plan) {
            throw Failure(.refused, "Nothing was imported. \(Visible.text(name)): \(cycle.sentence).")
        }
        return (plan, page)
    }

    /// Refuses an import that would exceed the limit of pending reminders in the middle.
    private func checkReminders(_ plan: ImportPlan) throws(Failure) {
        let coming = plan.reminders(now: Clock.now())
        guard coming > 0 else { return }
        let outbox = try session.client.call(StatusMethod.self, NoFields()).outbox
        // Older daemons do not report this.
        guard let waiting = outbox.scheduled, let most = outbox.scheduledMax, UInt64(coming) + waiting > most else { return }
        throw Self.tooManyReminders(coming, in: Visible.text(name), besides: waiting, of: most)
    }

    static func tooManyReminders(_ coming: Int, in name: String, besides waiting: UInt64, of most: UInt64) -> Failure {
        Failure(
            .refused,
            "Nothing was imported. \(name) brings \(Digits.counted(coming, "reminder")), and there is room for "
                + "\(Digits.grouped(most - min(most, waiting))): \(Digits.grouped(most)) may wait at once, and "
                + "\(Digits.counted(waiting, "does", "do")).\n"
                + "To remove pending reminders: todoctl edit FILTER --remind none")
    }

    /// Whether changes by others could invalidate the plan.
    private func isInvalidated(
        _ plan: ImportPlan, since first: UInt64, through last: UInt64
    ) throws(Failure) -> Bool {
        let warning = ImportWarning(plan)
        let input = DiffMethod.Input(from: Point(sequence: first), to: Point(sequence: last), path: "todos.items")
        var isInvalidated = false
        do throws(Failure) {
            try session.client.follow(DiffMethod.self, { input }) { answer throws(Failure) in
                if try answer.output().changes?.contains(where: warning.includes) == true { isInvalidated = true }
                return .more
            }
        } catch {
            // The state of the list is no longer in the log, so it is read again.
            guard error.error != nil else { throw error }
            return true
        }
        return isInvalidated
    }

    private mutating func send(_ plan: ImportPlan, _ page: StatePage) throws(Failure) {
        let now = Clock.now()
        let items = plan.added.map { Value.record(plan.draft($0, now: now).fields) }
        // New todos are added at the top.
        let parts = Self.parts(items.map(\.jsonBytes.count), most: Self.itemsMax, bytes: Self.itemsBytesMax).reversed()
        let adds = parts.map { TodoAction.add(items: Array(items[$0])) }
        try dispatch(adds + plan.changed.flatMap(\.actions), page)
        let added = zip(parts.flatMap { Array($0) }, ids).map { (index: $0.0, id: $0.1) }
        try dispatch(orders(plan, added), page)
    }

    private func orders(_ plan: ImportPlan, _ added: [(index: Int, id: Int64)]) -> [Value] {
        var new: [String: Int64] = [:]
        for (index, id) in added { if let name = plan.added[index].source { new[name] = id } }
        func others(_ names: [String], but id: Int64) -> [Int64] {
            var others: [Int64] = []
            for other in names.compactMap({ new[$0] ?? plan.names.id(named: $0) }) where other != id && !others.contains(other) {
                others.append(other)
            }
            return others
        }
        var orders: [Value] = []
        // Removed dependencies first: together with the new ones they could form a cycle.
        for change in plan.changed {
            guard let names = change.after else { continue }
            let wanted = Set(others(names, but: change.todo.id))
            let kept = change.todo.after.filter(wanted.contains)
            if kept != change.todo.after { orders.append(TodoAction.edit(change.todo.id, TodoDraft(after: kept))) }
        }
        for (index, id) in added {
            let after = others(plan.added[index].after, but: id)
            if !after.isEmpty { orders.append(TodoAction.edit(id, TodoDraft(after: after))) }
        }
        for change in plan.changed {
            guard let names = change.after else { continue }
            let after = others(names, but: change.todo.id)
            let isMore = !Set(after).isSubset(of: change.todo.after)
            if isMore { orders.append(TodoAction.edit(change.todo.id, TodoDraft(after: after))) }
        }
        return orders
    }

    private mutating func dispatch(_ actions: [Value], _ page: StatePage) throws(Failure) {
        for part in Self.parts(actions.map(\.jsonBytes.count), most: Self.batchActionsMax, bytes: Self.batchBytesMax) {
            var input = DispatchMethod.Input(actions: Array(actions[part]), key: DispatchKey.make(), step: step)
            if step == nil {
                (input.expectedSequence, input.scope, input.epoch) = (page.sequence, "todos.items", page.epoch)
            }
            let answer = try session.client.call(DispatchMethod.self, input)
            if step == nil { step = answer.sequences.first }
            ids += answer.ids.map { Int64(clamping: $0) }
        }
    }

    /// Groups consecutive sizes by limits of number and bytes.
    static func parts(_ sizes: [Int], most: Int, bytes bytesMax: Int) -> [Range<Int>] {
        var parts: [Range<Int>] = []
        var (start, bytes) = (0, 0)
        for (index, size) in sizes.enumerated() {
            if index > start, index - start == most || bytes + size > bytesMax {
                parts.append(start..<index)
                (start, bytes) = (index, 0)
            }
            bytes += size + 1
        }
        return start < sizes.count ? parts + [start..<sizes.count] : parts
    }

    private func tell(_ plan: ImportPlan, isDryRun: Bool) {
        guard !session.isJSON else {
            var fields: [Value.Field] = [
                .init("added", .int(Int64(plan.added.count))), .init("changed", .int(Int64(plan.changed.count))),
                .init("unchanged", .int(Int64(plan.unchanged))), .init("leftOut", .int(Int64(plan.leftOut))),
            ]
            if isDryRun { fields.append(.init("dryRun", .bool(true))) }
            if let step { fields.append(.init("step", .int(Int64(clamping: step)))) }
            return session.output.json(fields)
        }
        let name = Visible.text(name == "-" ? "standard input" : name)
        if isDryRun {
            session.output.line("An import of \(name) would be: \(plan.counts).")
            session.show(plan.lines)
        } else {
            session.output.line("Imported \(name): \(plan.counts).")
            session.show(plan.changedLines)
            session.show(session.undoHint(step))
        }
    }
}

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

/// Decides which changes by others could invalidate a planned import.
struct ImportWarning {
    private let plan: ImportPlan
    private let changed: Set<Int64>
    private let titles: Set<String>
    private let linked: Set<Int64>

    init(_ plan: ImportPlan) {
        self.plan = plan
        changed = Set(plan.changed.flatMap { [$0.todo.id, $0.origin?.id ?? $0.todo.id] })
        titles = Set(plan.added.map(\.title))
        let names = plan.added.flatMap(\.after) + plan.changed.flatMap { $0.after ?? [] }
        linked = Set(names.compactMap(plan.names.id(named:)))
    }

    /// Whether a change affects a todo that the plan changes or links to, or may equal one that it adds.
    func includes(_ change: Change) -> Bool {
        guard change.kind != .move else { return false }
        guard let id = change.id, !changed.contains(id), !linked.contains(id) else { return true }
        guard let todo = change.new.flatMap(Todo.init) else { return false }
        return todo.origin?.isOf(plan.format) == true || titles.contains(todo.title)
    }
}
