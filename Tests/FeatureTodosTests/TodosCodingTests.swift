import Chronicle
import ChronicleTesting
import FeatureTodos
import TestSupport
import Testing

@Suite struct TodosCodingTests {
    @Test(arguments: 0..<10 as Range<UInt64>) func `the laws of a feature hold`(seed: UInt64) {
        var random = SeededGenerator(seed)
        checkLaws(
            of: Todos.self, states: (0..<4).map { _ in random.state() }, actions: (0..<20).map { _ in random.action() })
    }

    @Test func `the encoding of actions is stable`() {
        #expect(Todos.Action.remove(1).canonicalBytes == [21, 2, 4, 1])
        #expect(Todos.Action.complete(300, at: 0).canonicalBytes == [13, 5, 4, 0xAC, 2, 8, 0])
        #expect(Todos.Action.submit.canonicalBytes == [41, 0])
        #expect(Todos.Action.load.canonicalBytes == [45, 0])
        #expect(Todos.Action.loadFailed("no").canonicalBytes == [53, 4, 5, 2, 0x6E, 0x6F])
        #expect(
            Todos.Action.loaded([Todo(id: 1, title: "abc", created: 1)]).canonicalBytes == [
                49, 11, 5, 9, 4, 1, 9, 3, 0x61, 0x62, 0x63, 28, 2,
            ])
        #expect(Todos.State(items: [], loading: true).canonicalBytes == [12, 1])
        #expect(Todos.Action.updateText("hi").canonicalBytes == [37, 4, 5, 2, 0x68, 0x69])
        #expect(Todos.Action.edit(1, TodoChanges(note: "", due: .clear)).canonicalBytes == [9, 6, 4, 1, 13, 0, 24, 0])
        #expect(Todos.Action.edit(1, TodoChanges(wait: .clear)).canonicalBytes == [9, 4, 4, 1, 36, 0])
        #expect(Todos.Action.edit(1, TodoChanges(every: "")).canonicalBytes == [9, 4, 4, 1, 45, 0])
        #expect(Todos.Action.edit(1, TodoChanges(remind: .clear)).canonicalBytes == [9, 4, 4, 1, 48, 0])
        #expect(Todos.Action.edit(1, TodoChanges(after: [])).canonicalBytes == [9, 4, 4, 1, 41, 0])
        #expect(Todos.Action.edit(1, TodoChanges(after: [2])).canonicalBytes == [9, 6, 4, 1, 41, 2, 4, 2])
        #expect(Todos.Action.edit(1, TodoChanges(origin: TodoOrigin())).canonicalBytes == [9, 4, 4, 1, 57, 0])
        #expect(
            Todos.Action.add([Todo(title: "abc", origin: TodoOrigin(source: "a:b"))]).canonicalBytes == [
                5, 14, 5, 12, 9, 3, 0x61, 0x62, 0x63, 57, 5, 5, 3, 0x61, 0x3A, 0x62,
            ])
        #expect(
            Todos.Action.add([Todo(id: 1, title: "abc", created: 1)]).canonicalBytes == [
                5, 11, 5, 9, 4, 1, 9, 3, 0x61, 0x62, 0x63, 28, 2,
            ])
    }

    @Test func `commands have a name and decode from their bytes`() throws {
        #expect(Todos.Command.load.name == "todos.load" && Todos.Command.load.version == 1)
        #expect(Todos.Command.load.canonicalBytes == [5, 0])
        #expect(Todos.Command.load.arguments == [:])
        #expect(try Todos.Command(canonical: [5, 0]) == .load)
        for bytes in [[], [5, 1, 0], [9, 0], [5, 0, 5, 0], [5, 0, 9, 0], [4, 1]] as [[UInt8]] {
            #expect(throws: CanonicalError.self) { try Todos.Command(canonical: bytes) }
        }
    }

    @Test func `a state with a duplicate or invalid ID is an error`() {
        let encoded = { (todos: [Todo], highest: UInt64) in
            var writer = CanonicalWriter()
            for todo in todos { writer.message(1, todo) }
            writer.field(4, highest)
            return writer.bytes
        }
        #expect(throws: Never.self) { try Todos.State(canonical: encoded([milk, dog], 2)) }
        #expect(throws: CanonicalError.self) { try Todos.State(canonical: encoded([milk, milk], 2)) }
        #expect(throws: CanonicalError.self) { try Todos.State(canonical: encoded([Todo(title: "none")], 2)) }
        #expect(throws: CanonicalError.self) { try Todos.State(canonical: encoded([milk, dog], 1)) }
    }

    /// 64-bit FNV-1a.
    @Test func `a fixed script of actions has a stable encoding`() throws {
        var state = Todos.State()
        var log: [UInt8] = []
        var context = Context.test
        func dispatch(_ action: Todos.Action) throws {
            context.time += 1_000_000
            for logged in try Todos.prepare(action, state, context) {
                log += logged.canonicalBytes
                state.reduce(logged, context)
            }
        }
        try dispatch(
            .add([
                Todo(title: "Buy the milk"), Todo(title: "Take my dog", tags: ["dog"], priority: .high, due: Due("2026-12-01")),
            ]))
        try dispatch(.updateText("Rent a car"))
        try dispatch(.submit)
        try dispatch(.edit(1, TodoChanges(note: "caf\u{E9} latte", due: .set(try #require(Due("2026-12-01T14:30"))))))
        try dispatch(.complete(2))
        try dispatch(.move(3, to: 2))
        try dispatch(.complete(3))
        try dispatch(.reopen(3))
        try dispatch(.add([Todo(title: "Call mum")]))
        try dispatch(.removeAt(index: 0))
        try dispatch(.putBack([PlacedTodo(Todo(id: 4, title: "Call mum", created: 1), at: 1)]))
        try dispatch(.clearCompleted())
        try dispatch(.updateText("more"))
        #expect(state.titles == ["Buy the milk", "Call mum", "Rent a car"])
        #expect(digest(log) == 9_771_847_707_275_745_126)
        #expect(digest(state.canonicalBytes) == 18_025_478_700_919_960_226)
    }
}
