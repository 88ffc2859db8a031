import Chronicle
import ChronicleTesting
import FeatureFlows
import Testing

@Suite struct DeadlineTests {
    private let minute: Int64 = 60_000_000

    @Test func `a flow with a deadline starts a timer and cancels it when answered`() {
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

    @Test func `a timeout ends the flow with an event, once`() {
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

    @Test func `a restored flow gets a timer with the remaining time`() {
        let flow = Flow(id: 1, kind: "size", deadline: Context.test.time + minute)
        let (empty, open) = (Flows.State(items: [], nextID: 2), Flows.State(items: [flow]))
        let actions = Flows.compensatingActions(from: empty, to: open)
        var state = empty
        #expect(actions.flatMap { Flows.reduce(&state, $0, .test) } == [.timeOut(1, after: minute)])
        #expect(state.items[1] == flow)
        let late = Context(time: flow.deadline + 5, origin: 0)
        state = empty
        #expect(actions.flatMap { Flows.reduce(&state, $0, late) } == [.timeOut(1, after: 0)])
    }

    @Test func `a timeout can be undone`() {
        let flow = Flow(id: 3, kind: "size", deadline: 5)
        let open = Flows.State(items: [flow])
        var over = open
        _ = Flows.reduce(&over, .timedOut(3), .test)
        #expect(over.timedOut == 3 && over.items.isEmpty)
        for (from, to) in [(over, open), (open, over), (Flows.State(), over)] {
            var state = from
            for action in Flows.compensatingActions(from: from, to: to) { _ = Flows.reduce(&state, action, .test) }
            #expect(state.items == to.items && state.timedOut == to.timedOut)
        }
    }

    @Test func `a flow without a deadline returns no command`() {
        var state = Flows.State()
        for action in [.started(Flow(id: 1, kind: "a")), .ended(1, result: nil)] as [Flows.Action] {
            #expect(Flows.reduce(&state, action, .test) == [])
        }
        #expect(state.timedOut == 0)
    }

    @Test func `a deadline is at most a year away, and the latest times do not trap`() {
        #expect(throws: Refusal.self) { try Flows.prepare(.start(kind: "a", seconds: 366 * 86_400 + 1), .init(), .test) }
        let last = Context(time: .max, origin: 0)
        #expect((try? Flows.deadline(after: 60, last)) == 0)
        var state = Flows.State()
        let commands = Flows.reduce(&state, .started(Flow(id: 1, kind: "a", deadline: .max)), Context(time: .min, origin: 0))
        #expect(commands == [.timeOut(1, after: 0)])
    }
}
