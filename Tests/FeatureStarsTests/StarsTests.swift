import Chronicle
import ChronicleTesting
import FeatureStars
import Testing

@Suite struct StarsTests {
    static let phases = Star.Phase.allCases

    @Test func `a button starts without a star and with a count of 0`() throws {
        #expect(Stars.State()["swift"] == Star(.unstar, starCount: 0))
        #expect(try Stars.State([:])["swift"] == Star())
    }

    @Test func `a press starts a request, and its result a second later adds the star`() {
        let store = TestStore(Stars.State(), of: Stars.self)
        store.send(.press("swift"), logging: [.staring("swift")]) { $0["swift"] = Star(.staring) }
        store.expect(.star("swift"))
        store.clock.advance(by: .seconds(1))
        store.receive(.starred("swift")) { $0["swift"] = Star(.star, starCount: 1) }
        #expect(store.logged.map(\.context.time) == [Context.test.time, Context.test.time + 1_000_000])

        store.send(.press("swift"), logging: [.unstaring("swift")]) { $0["swift"].phase = .unstaring }
        store.expect(.unstar("swift"))
        store.receive(.unstarred("swift")) { $0 = Stars.State() }
        store.finish()
    }

    @Test func `a press during a request is ignored`() {
        let store = TestStore(Stars.State(items: ["a": Star(.staring), "b": Star(.unstaring, starCount: 1)]), of: Stars.self)
        for id in ["a", "b"] {
            store.send(.press(id), logging: [])
            store.send(.staring(id), logging: [])
            store.send(.unstaring(id), logging: [])
        }
        store.expectNoCommands()
        store.finish()
    }

    @Test func `a hundred concurrent presses make one request`() throws {
        var state = Stars.State()
        var commands: [Stars.Command] = []
        for _ in 0..<100 { commands += try state.dispatch(.press("swift")) }
        #expect(commands == [.star("swift")])
        #expect(state["swift"] == Star(.staring))
    }

    @Test func `a failed request restores the phase and the count`() {
        let store = TestStore(Stars.State(items: ["b": Star(.star, starCount: 1)]), of: Stars.self)
        store.send(.press("a"), logging: [.staring("a")]) { $0["a"] = Star(.staring) }
        store.send(.press("b"), logging: [.unstaring("b")]) { $0["b"] = Star(.unstaring, starCount: 1) }
        store.expect(.star("a"), .unstar("b"))
        store.receive(.failed("b", reason: "no answer"), answering: .unstar("b")) { $0["b"] = Star(.star, starCount: 1) }
        store.receive(.failed("a", reason: "no answer"), answering: .star("a")) { $0["a"] = Star() }
        store.finish()
        #expect(store.state == Stars.State(items: ["b": Star(.star, starCount: 1)]))
    }

    @Test(arguments: phases)
    func `the transition of a button depends on its phase`(phase: Star.Phase) {
        let state = Stars.State(items: ["swift": Star(phase, starCount: 5)])
        #expect(Stars.star("swift", in: state) == (phase == .unstar ? .staring("swift") : nil))
        #expect(Stars.unstar("swift", in: state) == (phase == .star ? .unstaring("swift") : nil))
    }

    @Test(arguments: phases)
    func `only valid transitions apply, and the count changes only on completion`(phase: Star.Phase) throws {
        let legal: [Star.Phase: [(Stars.Action, Star)]] = [
            .unstar: [(.staring("a"), Star(.staring, starCount: 5))],
            .staring: [(.starred("a"), Star(.star, starCount: 6)), (.failed("a", reason: "no"), Star(.unstar, starCount: 5))],
            .star: [(.unstaring("a"), Star(.unstaring, starCount: 5))],
            .unstaring: [
                (.unstarred("a"), Star(.unstar, starCount: 4)), (.failed("a", reason: "no"), Star(.star, starCount: 5)),
            ],
        ]
        let before = Stars.State(items: ["a": Star(phase, starCount: 5)])
        let all: [Stars.Action] = [
            .staring("a"), .unstaring("a"), .starred("a"), .unstarred("a"), .failed("a", reason: "no"),
        ]
        for action in all {
            let step = legal[phase]?.first { $0.0 == action }
            var state = before
            let commands = Stars.reduce(&state, action, .test)
            #expect(state["a"] == step?.1 ?? before["a"])
            #expect(commands.count == (step?.1.phase.isTransition == true ? 1 : 0))
            #expect(try Stars.prepare(action, before, .test) == (step == nil ? [] : [action]))
        }
    }

    @Test func `a press is never logged and changes nothing`() {
        var state = Stars.State()
        #expect(Stars.reduce(&state, .press("swift"), .test).isEmpty)
        #expect(state == Stars.State())
    }

    @Test func `a count stays between 0 and the largest exact integer`() {
        var state = Stars.State(items: ["a": Star(.unstaring), "b": Star(.staring, starCount: Int64.exactMax)])
        state.reduce(.unstarred("a"))
        state.reduce(.starred("b"))
        #expect(state["a"].starCount == 0)
        #expect(state["b"].starCount == Int64.exactMax)
        state = Stars.State(items: ["c": Star(.staring, starCount: .max)])
        state.reduce(.starred("c"))
        #expect(state["c"].starCount == Int64.exactMax)
    }

    @Test func `buttons are independent`() throws {
        var state = Stars.State(items: ["a": Star(.star, starCount: 1)])
        try state.dispatch(.press("b"))
        #expect(state["a"] == Star(.star, starCount: 1))
        #expect(state["b"] == Star(.staring))
    }

    @Test func `the requests of one button are serial, those of two are concurrent`() {
        #expect(Stars.Command.star("a").policy == CommandPolicy(group: "a"))
        #expect(Stars.Command.unstar("a").policy == CommandPolicy(group: "a"))
        #expect(Stars.Command.star("b").policy.group == "b")
    }

    @Test func `every end without a result restores the phase, unless the command is parked`() {
        for command in [.star("a"), .unstar("a")] as [Stars.Command] {
            #expect(Stars.ended(command, .failed("gone")) == .failed("a", reason: "gone"))
            #expect(Stars.ended(command, .skipped) == .failed("a", reason: "it was skipped"))
            #expect(Stars.ended(command, .cancelled) == .failed("a", reason: "it was cancelled"))
            #expect(Stars.ended(command, .superseded) == .failed("a", reason: "it was cancelled"))
            #expect(Stars.ended(command, .parked("why")) == nil)
        }
    }

    @Test func `an id has 1 to 100 bytes, and there are at most a thousand stars`() throws {
        #expect(refusal(of: .press(""), in: Stars.State()) == "InvalidID")
        #expect(refusal(of: .press(String(repeating: "é", count: 51)), in: Stars.State()) == "InvalidID")
        #expect(refusal(of: .press(String(repeating: "é", count: 50)), in: Stars.State()) == nil)
        var state = Stars.State()
        for number in 0..<1000 { try state.dispatch(.press("\(number)")) }
        #expect(refusal(of: .press("one more"), in: state) == "TooManyStars")
        #expect(try Stars.prepare(.starred("7"), state, .test) == [.starred("7")])
        state.reduce(.failed("7", reason: "no"))
        #expect(refusal(of: .press("one more"), in: state) == nil)
        state.reduce(.staring(""))
        #expect(state.entries.count == 999)
    }

    @Test func `buttons with Unicode-equivalent IDs of different bytes are different`() throws {
        var state = Stars.State()
        try state.dispatch(.press("\u{E9}"))
        #expect(state["e\u{301}"] == Star())
        try state.dispatch(.press("e\u{301}"))
        #expect(state.entries.count == 2)
        #expect(Stars.Command.star("\u{E9}") != .star("e\u{301}"))
    }

    @Test func `a long reason is truncated`() throws {
        let state = Stars.State(items: ["a": Star(.staring)])
        let long = String(repeating: "x", count: 5000)
        #expect(
            try Stars.prepare(.failed("a", reason: long), state, .test) == [
                .failed("a", reason: String(repeating: "x", count: 4096))
            ])
    }

    @Test(arguments: phases)
    func `the view has the phase and the count of each button and whether it is enabled`(phase: Star.Phase) {
        let view = Stars.view(of: Stars.State(items: ["b": Star(phase, starCount: 3), "a": Star(.star, starCount: 1)]))
        let isEnabled = phase == .unstar || phase == .star
        #expect(
            view == [
                "rows": [
                    ["id": "a", "phase": "star", "starCount": 1, "enabled": true],
                    ["id": "b", "phase": .text(phase.name), "starCount": 3, "enabled": .bool(isEnabled)],
                ]
            ])
    }
}
