import FeatureFlows
import Fields
import StoreTesting
import Testing

@Suite struct DeadlineTests {
    private let minute: Int64 = 60_000_000

    @Test func `a flow with a deadline asks for its timer, and lets it go when it is answered`() {
        let store = TestStore(Flows.State(), of: Flows.self)
        let deadline = Context.test.time + minute
        let flow = Flow(id: 1, kind: "size", deadline: deadline)
        store.send(.start(kind: "size", seconds: 60), logging: [.started(flow)]) {
            $0.items.append(flow, id: 1)
            $0.nextID = 2
        }
        store.expect(.timeOut(1, after: minute))
        store.send(.start(kind: "size", seconds: 5), logging: [])
        store.send(.answer(1, "large"), logging: [.ended(1, result: "large")]) { $0.items.remove(1) }
        store.expect(.keep(1))
        store.finish()
    }

    @Test func `when its time is over it ends with a fact, and nothing comes of that twice`() {
        let store = TestStore(Flows.State(), of: Flows.self)
        let flow = Flow(id: 1, kind: "size", deadline: Context.test.time + minute)
        store.send(.start(kind: "size", seconds: 60), logging: [.started(flow)]) {
            $0.items.append(flow, id: 1)
            $0.nextID = 2
        }
        store.expect(.timeOut(1, after: minute))
        store.receive(.timedOut(1)) {
            $0.items.remove(1)
            $0.timedOut = 1
        }
        #expect((try? Flows.prepare(.timedOut(1), store.state, .test)) == [])
        store.finish()
    }

    @Test func `a flow that is put back has its timer back, with what is left of its time`() {
        let flow = Flow(id: 1, kind: "size", deadline: Context.test.time + minute)
        let (empty, open) = (Flows.State(items: [], nextID: 2), Flows.State(items: [flow]))
        let actions = Flows.compensation(from: empty, to: open)
        var state = empty
        #expect(actions.flatMap { Flows.reduce(&state, $0, .test) } == [.timeOut(1, after: minute)])
        #expect(state.items[1] == flow)
        let late = Context(time: flow.deadline + 5, origin: 0)
        state = empty
        #expect(actions.flatMap { Flows.reduce(&state, $0, late) } == [.timeOut(1, after: 0)])
    }

    @Test func `that a time was over is taken back like everything else`() {
        let flow = Flow(id: 3, kind: "size", deadline: 5)
        let open = Flows.State(items: [flow])
        var over = open
        _ = Flows.reduce(&over, .timedOut(3), .test)
        #expect(over.timedOut == 3 && over.items.isEmpty)
        for (from, to) in [(over, open), (open, over), (Flows.State(), over)] {
            var state = from
            for action in Flows.compensation(from: from, to: to) { _ = Flows.reduce(&state, action, .test) }
            #expect(state.items == to.items && state.timedOut == to.timedOut)
        }
    }

    @Test func `a flow without a deadline asks for nothing`() {
        var state = Flows.State()
        for action in [.started(Flow(id: 1, kind: "a")), .ended(1, result: nil)] as [Flows.Action] {
            #expect(Flows.reduce(&state, action, .test) == [])
        }
        #expect(state.timedOut == 0)
    }

    @Test func `no flow waits longer than a year, and none of the last times there are traps`() {
        #expect(throws: Refusal.self) { try Flows.prepare(.start(kind: "a", seconds: 366 * 86_400 + 1), .init(), .test) }
        let last = Context(time: .max, origin: 0)
        #expect((try? Flows.deadline(after: 60, last)) == 0)
        var state = Flows.State()
        let commands = Flows.reduce(&state, .started(Flow(id: 1, kind: "a", deadline: .max)), Context(time: .min, origin: 0))
        #expect(commands == [.timeOut(1, after: 0)])
    }
}
