import FeatureFlows
import Fields
import TestSupport
import Testing

/// What flows are for others: values, bytes, scopes, changes, a view.
@Suite struct FlowsFormTests {
    @Test(arguments: 0..<100 as Range<UInt64>)
    func `states and actions are read back from their values and their bytes`(seed: UInt64) throws {
        var random = SeededGenerator(seed)
        var state = Flows.State()
        for _ in 0..<30 {
            let action = random.action()
            if let read = try? Flows.Action(canonical: action.canonicalBytes) {
                #expect(read == action)
                _ = Flows.reduce(&state, action, .test)
            }
            if let read = try? Flows.Action(action.value) { #expect(read == action) }
        }
        #expect(try Flows.State(state.value) == state)
        #expect(try Flows.State(canonical: state.canonicalBytes) == state)
    }

    @Test(arguments: 0..<100 as Range<UInt64>)
    func `drawing the changes ends in the same screen as drawing everything`(seed: UInt64) throws {
        var random = SeededGenerator(seed)
        let (old, new) = (random.state(), random.state())
        var screen = Screen(old, of: Flows.self)
        let changes = try #require(Flows.changes(from: old, to: new, limit: .max))
        for change in changes {
            let fits = screen.apply(change)
            #expect(fits, "\(change)")
        }
        #expect(screen == Screen(new, of: Flows.self))
        #expect(changes.isEmpty == (old == new))
        #expect(Flows.changedScopes(from: old, to: new).isEmpty == (old == new))
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func `changed bytes are an error or mean something else, and never trap`(seed: UInt64) {
        var random = SeededGenerator(seed)
        for original in [random.action().canonicalBytes, random.state().canonicalBytes] {
            var bytes = original
            for _ in 0..<10 where !bytes.isEmpty {
                bytes[random.number(0..<bytes.count)] = UInt8(random.number(0..<256))
                if let action = try? Flows.Action(canonical: bytes) { #expect(action.canonicalBytes == bytes) }
                if let state = try? Flows.State(canonical: bytes) { #expect(state.canonicalBytes == bytes) }
            }
        }
    }

    @Test func `the bytes are these`() throws {
        #expect(Flows.State().canonicalBytes.isEmpty)
        #expect(Flows.State(items: [size]).canonicalBytes == [5, 8, 4, 4, 9, 4, 0x73, 0x69, 0x7A, 0x65, 8, 4])
        #expect(Flow(id: 1, kind: "k", input: "x").canonicalBytes == [4, 1, 9, 1, 0x6B, 21, 1, 0x78])
        #expect(Flows.Action.start(kind: "k").canonicalBytes == [5, 3, 5, 1, 0x6B])
        #expect(Flows.Action.answer(1, "x").canonicalBytes == [9, 5, 4, 1, 9, 1, 0x78])
        #expect(Flows.Action.cancel(1).canonicalBytes == [13, 2, 4, 1])
        #expect(Flows.Action.ended(1, result: "").canonicalBytes == [21, 4, 4, 1, 9, 0])
        #expect(Flows.Action.ended(1, result: nil).canonicalBytes == [21, 2, 4, 1])
        #expect(Flows.Action.restore(.init(removed: [1])).canonicalBytes == [29, 2, 4, 1])
        for bytes in [[], [37, 0], [13, 0], [17, 0], [5, 0, 9, 0]] as [[UInt8]] {
            #expect(throws: CanonicalError.self) { try Flows.Action(canonical: bytes) }
        }
        for (flows, highest) in [([size, size], 4), ([size], 3)] as [([Flow], UInt64)] {
            var writer = CanonicalWriter()
            for flow in flows { writer.message(1, flow) }
            writer.field(2, highest)
            #expect(throws: CanonicalError.self) { try Flows.State(canonical: writer.bytes) }
        }
    }

    @Test func `an action has its name on the wire`() throws {
        #expect(Flows.Action.start(kind: "colour").value == ["start": ["kind": "colour"]])
        #expect(try Flows.Action(["start": ["kind": "colour", "seconds": 0]]) == .start(kind: "colour"))
        #expect(try Flows.Action(["start": ["kind": "colour", "seconds": 60]]) == .start(kind: "colour", seconds: 60))
        #expect(throws: ValueMismatch("start.seconds", "a whole number from 0 is expected")) {
            try Flows.Action(["start": ["kind": "colour", "seconds": -1]])
        }
        #expect(Flows.Action.answer(1, "red").value == ["answer": ["id": 1, "text": "red"]])
        #expect(Flows.Action.cancel(1).value == ["cancel": ["id": 1]])
        #expect(Flows.Action.started(shade).value == ["started": ["id": 2, "kind": "shade", "parent": 1]])
        #expect(Flows.Action.ended(1, result: nil).value == ["ended": ["id": 1]])
        #expect(throws: ValueMismatch("answer.id", "an id, a whole number from 1, is expected")) {
            try Flows.Action(["answer": ["id": 0, "text": "x"]])
        }
        #expect(throws: ValueMismatch("stop", "there is no such action")) { try Flows.Action(["stop": [:]]) }
        #expect(throws: ValueMismatch("started.kind", "this field is missing")) { try Flows.Action(["started": ["id": 1]]) }
        #expect(throws: ValueMismatch("items[1].id", "the id 4 is taken")) {
            try Flows.State(["items": [size.value, size.value]])
        }
        #expect(throws: ValueMismatch.self) { try Flows.State(["items": [size.value], "nextID": 4]) }
    }

    @Test func `the view has a row for each flow, and says which waits`() {
        #expect(
            Flows.view(of: Flows.State(items: [colour, shade])) == [
                "rows": [
                    ["id": 1, "kind": "colour", "parent": 0, "options": ["red", "green"], "waits": true],
                    ["id": 2, "kind": "shade", "parent": 1, "options": [], "waits": false],
                ]
            ])
    }

    @Test func `a flow that comes or goes is one change, and one of the next id`() throws {
        let none = Flows.State()
        let one = Flows.State(items: [colour])
        #expect(
            Flows.changes(from: none, to: one, limit: 2) == [
                Change(path: "items", kind: .insert, id: 1, at: 0, new: colour.value),
                Change(path: "", kind: .set, old: ["nextID": 1], new: ["nextID": 2]),
            ])
        #expect(Flows.changes(from: none, to: one, limit: 1) == nil)
        var other = one
        _ = Flows.reduce(&other, .offered(1, options: ["blue"]), .test)
        #expect(Flows.changes(from: one, to: other, limit: 1)?.map(\.kind) == [.replace])
        #expect(Flows.changedScopes(from: none, to: one) == [ScopeSet(index: 0), ScopeSet(index: 1)])
        #expect(Flows.changedScopes(from: one, to: other) == ScopeSet(index: 0))
        #expect(Flows.scopes(of: .start(kind: "x")) == [ScopeSet(index: 0), ScopeSet(index: 1)])
        #expect(Flows.scopes(of: .answer(1, "x")) == ScopeSet(index: 0))
        #expect(Flows.summary(of: one) == ["items": [], "nextID": 2])
        #expect(Flows.lists(of: one).map(\.path) == ["items"])
        #expect(Flows.lists(of: one)[0].elements(0..<1) == [colour.value])
    }

    /// FNV-1a with 64 bits.
    private func digest(_ bytes: [UInt8]) -> UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    @Test func `a fixed script of actions always leads to the same bytes`() {
        var state = Flows.State()
        var log: [UInt8] = []
        let script: [Flows.Action] = [
            .started(colour), .offered(1, options: ["blue", "caf\u{E9}"]), .started(shade), .ended(2, result: "dark"),
            .started(size),
            .ended(4, result: nil), .started(Flow(id: 5, kind: "size", options: ["L"])),
        ]
        for action in script {
            log += action.canonicalBytes
            _ = Flows.reduce(&state, action, .test)
        }
        #expect(digest(log) == 5_392_696_916_938_070_105)
        #expect(digest(state.canonicalBytes) == 17_657_506_405_456_685_340)
    }
}
