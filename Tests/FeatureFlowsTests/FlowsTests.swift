import Chronicle
import ChronicleTesting
import FeatureFlows
import TestSupport
import Testing

@Suite struct FlowsTests {
    private func store(_ state: Flows.State = .init()) -> TestStore<Flows> { TestStore(state, of: Flows.self) }

    @Test func `a flow is stored when it starts and removed when answered`() {
        let store = store()
        store.send(.start(kind: "colour"), logging: [.started(Flow(id: 1, kind: "colour"))]) {
            $0 = Flows.State(items: [Flow(id: 1, kind: "colour")])
        }
        #expect(Flows.created(by: .started(Flow(id: 1, kind: "colour"))) == [1])
        store.send(.answer(1, "red"), logging: [.ended(1, result: "red")]) { $0 = Flows.State(items: [], nextID: 2) }
        #expect(store.state.items.isEmpty)
        store.finish()
    }

    @Test func `an answered or cancelled flow accepts no second answer`() {
        let store = store(Flows.State(items: [colour, size]))
        store.exhaustivity = .off
        store.send(.answer(1, "red"), logging: [.ended(1, result: "red")])
        store.refuse(.answer(1, "red"), name: "UnknownFlow")
        store.refuse(.cancel(1), name: "UnknownFlow")
        store.send(.cancel(4), logging: [.ended(4, result: nil)])
        store.refuse(.answer(4, "large"), name: "UnknownFlow")
        store.refuse(.answer(99, "red"), name: "UnknownFlow")
        store.finish()
    }

    @Test func `starting an open kind again logs nothing`() {
        let store = store(Flows.State(items: [size]))
        store.send(.start(kind: "size"), logging: [])
        #expect(store.state.flow(of: "size")?.id == 4)
        store.send(.cancel(4), logging: [.ended(4, result: nil)]) { $0 = Flows.State(items: [], nextID: 5) }
        store.send(.start(kind: "size"), logging: [.started(Flow(id: 5, kind: "size"))]) {
            $0 = Flows.State(items: [Flow(id: 5, kind: "size")])
        }
        store.finish()
    }

    @Test func `kinds are compared by their bytes`() throws {
        let state = Flows.State(items: [Flow(id: 1, kind: "caf\u{E9}")])
        #expect(state.flow(of: "cafe\u{301}") == nil)
        #expect(try Flows.coordinate(to: "cafe\u{301}", in: state) == [.started(Flow(id: 2, kind: "cafe\u{301}"))])
    }

    @Test func `an answer must be an option, or any text if there are no options`() {
        let state = Flows.State(items: [colour, size])
        #expect(refusal(of: .answer(1, "blue"), in: state) == "UnknownAnswer")
        #expect(refusal(of: .answer(1, ""), in: state) == "UnknownAnswer")
        #expect(refusal(of: .answer(1, "green"), in: state) == nil)
        #expect(refusal(of: .answer(4, "anything"), in: state) == nil)
        let long = String(repeating: "x", count: 4_097)
        #expect(refusal(of: .answer(4, long), in: state) == "AnswerTooLong")
    }

    @Test func `the options may change while the flow waits`() {
        let store = store()
        store.exhaustivity = .off
        store.send(.start(kind: "colour"))
        var state = store.state
        _ = Flows.reduce(&state, .offered(1, options: ["blue"]), .test)
        #expect(state.items[1]?.options == ["blue"])
        #expect(refusal(of: .answer(1, "red"), in: state) == "UnknownAnswer")
        #expect(refusal(of: .answer(1, "blue"), in: state) == nil)
        store.finish()
    }

    @Test func `a flow accepts no answer while its child is open`() {
        let store = store(Flows.State(items: [colour, shade]))
        store.refuse(.answer(1, "red"), name: "FlowWaits")
        store.send(.answer(2, "dark"), logging: [.ended(2, result: "dark")]) { $0 = Flows.State(items: [colour], nextID: 3) }
        store.send(.answer(1, "red"), logging: [.ended(1, result: "red")]) { $0 = Flows.State(items: [], nextID: 3) }
        store.finish()
    }

    @Test func `cancelling a flow cancels its descendants, the innermost first`() throws {
        let state = Flows.State(items: [colour, shade, tint, size])
        #expect(
            try Flows.prepare(.cancel(1), state, .test) == [
                .ended(3, result: nil), .ended(2, result: nil), .ended(1, result: nil),
            ])
        #expect(try Flows.prepare(.cancel(2), state, .test) == [.ended(3, result: nil), .ended(2, result: nil)])
        #expect(state.child(of: 1) == shade && state.child(of: 3) == nil && state.child(of: 0) == nil)
        let circle = Flows.State(items: [Flow(id: 1, kind: "a", parent: 2), Flow(id: 2, kind: "b", parent: 1)])
        #expect(try Flows.prepare(.cancel(1), circle, .test) == [.ended(2, result: nil), .ended(1, result: nil)])
    }

    @Test func `a client can't dispatch the result of a flow`() {
        let facts: [Flows.Action] = [.started(size), .ended(4, result: "large"), .offered(4, options: [])]
        for fact in facts {
            #expect(refusal(of: fact, in: Flows.State(items: [size])) == "FactNotAllowed")
        }
    }

    @Test func `kinds, open flows and IDs have limits`() {
        #expect(refusal(of: .start(kind: ""), in: .init()) == "KindEmpty")
        #expect(refusal(of: .start(kind: String(repeating: "k", count: 101)), in: .init()) == "KindTooLong")
        let full = Flows.State(items: (1...100 as ClosedRange<UInt64>).map { Flow(id: $0, kind: "kind \($0)") })
        #expect(refusal(of: .start(kind: "one more"), in: full) == "TooManyFlows")
        #expect(refusal(of: .start(kind: "size"), in: Flows.State(items: [], nextID: .max)) == "IDsExhausted")
    }

    @Test(arguments: 0..<100 as Range<UInt64>)
    func `any action applies to any state, and IDs are unique`(seed: UInt64) throws {
        var random = SeededGenerator(seed)
        var state = random.state()
        for _ in 0..<100 {
            #expect(Flows.reduce(&state, random.action(), .test).isEmpty)
            var highest: UInt64 = 0
            state.items.forEachByID { id, flow in
                #expect(flow.id == id)
                highest = id
                return true
            }
            #expect(highest < state.nextID && state.nextID <= ElementID.range.upperBound + 1)
            for logged in (try? Flows.prepare(random.action(), state, .test)) ?? [] {
                #expect(Flows.created(by: logged).allSatisfy { $0 == state.nextID })
                _ = Flows.reduce(&state, logged, .test)
            }
        }
    }

    @Test func `exactly one of several concurrent answers applies`() {
        var state = Flows.State(items: [size])
        var results: [String] = []
        for text in ["small", "large", "medium"] {
            for logged in (try? Flows.prepare(.answer(4, text), state, .test)) ?? [] {
                if case .ended(_, let result) = logged { results.append(result ?? "") }
                _ = Flows.reduce(&state, logged, .test)
            }
        }
        #expect(results == ["small"])
    }
}
