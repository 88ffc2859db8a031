import FeatureStars
import Fields
import StoreTesting
import Testing

@Suite struct StarsTests {
    /// Every phase, with a count that tells whether it changed.
    static let phases = Star.Phase.allCases

    @Test func `a button begins without a star, and its count at 0`() throws {
        #expect(Stars.State()["swift"] == Star(.unstar, starCount: 0))
        #expect(try Stars.State([:])["swift"] == Star())
    }

    @Test func `a press shows that a star is about to be given, and a second later that it was`() {
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

    @Test func `a press during a request is ignored, and asks for no second one`() {
        let store = TestStore(Stars.State(items: ["a": Star(.staring), "b": Star(.unstaring, starCount: 1)]), of: Stars.self)
        for id in ["a", "b"] {
            store.send(.press(id), logging: [])
            store.send(.staring(id), logging: [])
            store.send(.unstaring(id), logging: [])
        }
        store.expectNoCommands()
        store.finish()
    }

    @Test func `a hundred presses at once make one request`() throws {
        var state = Stars.State()
        var commands: [Stars.Command] = []
        for _ in 0..<100 { commands += try state.dispatch(.press("swift")) }
        #expect(commands == [.star("swift")])
        #expect(state["swift"] == Star(.staring))
    }

    @Test func `a failed request shows again what was there before, and the count as it was`() {
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
    func `the step that a button takes follows from what it shows, and there may be none`(phase: Star.Phase) {
        let state = Stars.State(items: ["swift": Star(phase, starCount: 5)])
        #expect(Stars.star("swift", in: state) == (phase == .unstar ? .staring("swift") : nil))
        #expect(Stars.unstar("swift", in: state) == (phase == .star ? .unstaring("swift") : nil))
    }

    @Test(arguments: phases)
    func `only legal steps are taken, and the count changes on completion alone`(phase: Star.Phase) throws {
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

    @Test func `a press itself is never logged, and changes nothing when it is`() {
        var state = Stars.State()
        #expect(Stars.reduce(&state, .press("swift"), .test).isEmpty)
        #expect(state == Stars.State())
    }

    @Test func `a count never goes below 0 and never leaves what every client keeps exact`() {
        var state = Stars.State(items: ["a": Star(.unstaring), "b": Star(.staring, starCount: Int64.exactMax)])
        state.reduce(.unstarred("a"))
        state.reduce(.starred("b"))
        #expect(state["a"].starCount == 0)
        #expect(state["b"].starCount == Int64.exactMax)
        state = Stars.State(items: ["c": Star(.staring, starCount: .max)])
        state.reduce(.starred("c"))
        #expect(state["c"].starCount == Int64.exactMax)
    }

    @Test func `buttons do not know each other`() throws {
        var state = Stars.State(items: ["a": Star(.star, starCount: 1)])
        try state.dispatch(.press("b"))
        #expect(state["a"] == Star(.star, starCount: 1))
        #expect(state["b"] == Star(.staring))
    }

    @Test func `the requests of one button are made one after another, those of two side by side`() {
        #expect(Stars.Command.star("a").policy == CommandPolicy(group: "a"))
        #expect(Stars.Command.unstar("a").policy == CommandPolicy(group: "a"))
        #expect(Stars.Command.star("b").policy.group == "b")
    }

    @Test func `every end without a result takes the step back, unless the request is still to be made`() {
        for command in [.star("a"), .unstar("a")] as [Stars.Command] {
            #expect(Stars.ended(command, .failed("gone")) == .failed("a", reason: "gone"))
            #expect(Stars.ended(command, .skipped) == .failed("a", reason: "it was skipped"))
            #expect(Stars.ended(command, .cancelled) == .failed("a", reason: "it was cancelled"))
            #expect(Stars.ended(command, .superseded) == .failed("a", reason: "it was cancelled"))
            #expect(Stars.ended(command, .parked("why")) == nil)
        }
    }

    @Test func `what is brought back is a fact, all else an order`() {
        for fact in [.starred("a"), .unstarred("a"), .failed("a", reason: "")] as [Stars.Action] {
            #expect(Stars.nature(of: fact) == .fact)
        }
        for order in [.press("a"), .staring("a"), .unstaring("a")] as [Stars.Action] {
            #expect(Stars.nature(of: order) == .order)
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

    @Test func `ids that Unicode calls equal are different buttons when their bytes differ`() throws {
        var state = Stars.State()
        try state.dispatch(.press("\u{E9}"))
        #expect(state["e\u{301}"] == Star())
        try state.dispatch(.press("e\u{301}"))
        #expect(state.entries.count == 2)
        #expect(Stars.Command.star("\u{E9}") != .star("e\u{301}"))
    }

    @Test func `a reason that is too long is cut`() throws {
        let state = Stars.State(items: ["a": Star(.staring)])
        let long = String(repeating: "x", count: 5000)
        #expect(
            try Stars.prepare(.failed("a", reason: long), state, .test) == [
                .failed("a", reason: String(repeating: "x", count: 4096))
            ])
    }

    @Test(arguments: phases)
    func `the view tells for each button what it shows, its count, and whether it can be pressed`(phase: Star.Phase) {
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
