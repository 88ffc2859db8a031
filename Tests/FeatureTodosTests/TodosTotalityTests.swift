import Chronicle
import FeatureTodos
import TestSupport
import Testing

extension Todos.Command {
    fileprivate var isOfReminder: Bool {
        switch self {
        case .remind, .forget: true
        case .load: false
        }
    }
}

@Suite struct TodosTotalityTests {
    @Test(arguments: 0..<200 as Range<UInt64>)
    func `any action applies to any state or leaves it unchanged`(seed: UInt64) throws {
        var random = SeededGenerator(seed)
        var state = random.state()
        for _ in 0..<100 {
            let action = random.action()
            let context = Context(time: random.time(), origin: 0)
            let commands = Todos.reduce(&state, action, context).filter { !$0.isOfReminder }
            #expect(commands == (action == .load ? [.load] : []))
            #expect(state.nextID >= 1 && state.nextID <= ElementID.range.upperBound + 1)
            var highest: UInt64 = 0
            state.items.forEachByID { id, todo in
                #expect(todo.id == id)
                highest = max(highest, id)
                return true
            }
            #expect(highest < state.nextID)
        }
        #expect(try Todos.State(canonical: state.canonicalBytes) == state)
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func `preparing any action never traps, and preparing its result again changes nothing`(seed: UInt64) {
        var random = SeededGenerator(seed)
        var state = random.state()
        for _ in 0..<100 {
            guard let logged = try? Todos.prepare(random.action(), state, .test) else { continue }
            for action in logged {
                if case .removeAt = action { Issue.record("an index must not be logged") }
                if case .submit = action { Issue.record("submit must not be logged") }
                state.reduce(action)
                #expect(Todos.created(by: action).allSatisfy { $0 < state.nextID })
            }
        }
    }

    @Test(arguments: 0..<50 as Range<UInt64>)
    func `every removed todo can be restored unchanged`(seed: UInt64) throws {
        var random = SeededGenerator(seed)
        var state = random.state()
        let emptied = TodoChanges(tags: [], after: [], remindBefore: .clear)
        for todo in state.items.elements {
            // Prepared like a dispatched edit, or without fields that no dispatched edit produces.
            let edit = TodoChanges(tags: todo.tags, after: todo.after, remindBefore: todo.remindBefore.map { .set($0) })
            let logged = (try? Todos.prepare(.edit(todo.id, edit), state, .test)) ?? [.edit(todo.id, emptied)]
            for action in logged { state.reduce(action) }
        }
        let before = state
        var removed: [PlacedTodo] = []
        while let id = state.items.id(at: state.items.isEmpty ? 0 : random.number(0..<state.items.count)), removed.count < 5 {
            let index = try #require(state.items.index(of: id))
            removed.append(PlacedTodo(try #require(state.items[id]), at: index))
            try state.dispatch(.remove(id))
        }
        try state.dispatch(.putBack(removed.reversed()))
        #expect(state == before)
        #expect(state.canonicalBytes == before.canonicalBytes)
    }
}
