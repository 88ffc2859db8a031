import Chronicle
import ChronicleLog
import ChronicleStore
import DiskLog
import Expressions
import FeatureApp
import FeatureCounter
import FeatureTodos
import TestSupport
import TimeTravel

/// A random log, and every state it had when it was live.
struct SampleLog: Sendable {
    let log: any ActionLog
    /// By sequence.
    var states: [App.State] = [App.State()]
    var headers: [RecordHeader] = []
    var actions: [App.Action?] = []

    init(_ log: any ActionLog = InMemoryActionLog()) { self.log = log }

    /// A random history of about `records` records.
    static func random(_ seed: UInt64, records: Int, in log: any ActionLog = InMemoryActionLog()) throws -> SampleLog {
        var sample = SampleLog(log)
        var dice = SeededGenerator(seed)
        while sample.states.count <= records {
            let actions = (0..<Int.random(in: 1...3, using: &dice)).map { _ in sample.randomAction(&dice) }
            let key = Int.random(in: 0...2, using: &dice) == 0 ? "key \(sample.states.count)" : nil
            try sample.dispatch(actions, origin: UInt32.random(in: 1000...1002, using: &dice), key: key)
        }
        return sample
    }

    var head: UInt64 { UInt64(states.count - 1) }
    var state: App.State { states[states.count - 1] }

    /// Prepares actions and appends them in one flush, as a store does.
    mutating func dispatch(_ actions: [App.Action], origin: UInt32 = 1000, key: String? = nil) throws {
        var flush = Flush(after: log.head)
        let first = flush.sequence + 1
        var ids: [UInt64] = []
        for action in actions {
            let context = Context(time: flush.time + 1_000, origin: origin)
            guard let prepared = try? App.prepare(action, state, context) else { continue }
            for action in prepared {
                let header = RecordHeader(
                    sequence: flush.sequence + 1, time: flush.time + 1_000, origin: origin, step: first, key: key, build: 7)
                flush.stage(header) { action.encode(into: &$0) }
                var next = state
                _ = App.reduce(&next, action, Context(time: header.time, origin: origin))
                ids += App.created(by: action)
                states.append(next)
                headers.append(header)
                self.actions.append(action)
            }
        }
        guard !flush.isEmpty else { return }
        if let key {
            try flush.stage(
                KeyRow(first: first, last: flush.sequence, ids: ids, digest: 5, epoch: log.head.epoch, time: flush.time),
                key: key, of: origin)
        }
        try log.append(flush)
    }

    /// Appends a bookmark as a store does.
    mutating func bookmark(_ name: String, at sequence: UInt64) throws { try note(Bookmark(name: name, sequence: sequence)) }

    /// Appends the removal of a bookmark as a store does.
    mutating func withdraw(_ name: String) throws { try note(Bookmark(withdrawing: name)) }

    private mutating func note(_ bookmark: Bookmark) throws {
        var flush = Flush(after: log.head)
        let header = RecordHeader(
            kind: .bookmark, sequence: flush.sequence + 1, time: flush.time + 1_000, origin: 1000, step: flush.sequence + 1)
        flush.stage(header) { bookmark.encode(into: &$0) }
        flush.apply(bookmark, of: header.sequence)
        try log.append(flush)
        states.append(state)
        headers.append(header)
        actions.append(nil)
    }

    /// The history of the log, with snapshots if there is a directory.
    func history(_ directory: String? = nil, fingerprint: String = "code", queries: QueryThread = .init()) -> History<App> {
        History(
            log, snapshots: directory.map { SnapshotStore(directory: $0) }, fingerprint: fingerprint,
            base: PastState(state: App.State()), queries: queries)
    }

    /// Writes a history snapshot as the store does.
    func leaveSnapshot(at sequence: UInt64, in directory: String, fingerprint: String = "code", state: App.State? = nil) throws {
        let snapshot = Snapshot(
            sequence: sequence, checksum: try log.checksum(of: sequence) ?? 0, epoch: log.head.epoch,
            time: headers[Int(sequence) - 1].time, fingerprint: fingerprint,
            state: (state ?? states[Int(sequence)]).canonicalBytes)
        try SnapshotStore(directory: directory).history.write(snapshot, budgetBytes: .max)
    }

    /// The path to a todo by the id that it has at a moment, in place of its position.
    func resolved(_ path: Path, at sequence: UInt64) throws -> Path {
        guard path.names == ["todos", "items"], path.steps.count > 2, case .position(let position) = path.steps[2],
            case .int(let id)? = value(try Path("todos.items[@\(position)].id"), at: sequence)
        else { return path }
        return Path([.name("todos"), .name("items"), .id(id)] + path.steps.dropFirst(3))
    }

    /// The value at a path of a state.
    func value(_ path: Path, at sequence: UInt64) -> Value? {
        if path.steps.count == 1 {
            return path.names == ["todos"] ? states[Int(sequence)].todos.value : states[Int(sequence)].counter.value
        }
        var reader = StateReading<App>(states[Int(sequence)])
        return switch path.read(from: &reader) {
        case .value(let value): value
        case .list(let list): .list(list.elements(0..<list.count))
        case .nothing: nil
        }
    }

    func holds(_ expression: Expression, at sequence: UInt64) -> Bool {
        expression.holds(in: StateReading<App>(states[Int(sequence)]))
    }

    private func randomAction(_ dice: inout SeededGenerator) -> App.Action {
        let ids = state.todos.items.elements.map(\.id)
        let id = ids.randomElement(using: &dice) ?? 1
        let title = ["Milk", "Bread", "Call Ada", "Été à la mer"].randomElement(using: &dice) ?? ""
        switch Int.random(in: 0...13, using: &dice) {
        case 0, 1, 2:
            let tags = Bool.random(using: &dice) ? ["home", "x"] : []
            return .todos(.add([Todo(title: title, tags: tags, priority: Bool.random(using: &dice) ? .none : .high)]))
        case 3: return .todos(.edit(id, TodoChanges(title: title)))
        case 4:
            let wait = Due("2026-12-01").map { FieldChange<Due>.set($0) }
            return .todos(.edit(id, TodoChanges(note: title, tags: ["shop"], wait: wait, after: id > 1 ? [id - 1] : nil)))
        case 5: return .todos(.complete(id))
        case 6: return .todos(.reopen(id))
        case 7: return .todos(.remove(id))
        case 8: return .todos(.move(id, to: Int.random(in: 0...3, using: &dice)))
        case 9: return .todos(.updateText(title))
        case 10: return .counter(.decrement)
        case 11: return .counter(.reset)
        default: return .counter(.increment)
        }
    }
}
