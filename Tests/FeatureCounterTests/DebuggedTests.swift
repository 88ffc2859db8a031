import FeatureCounter
import Fields
import StoreTesting
import Synchronization
import Testing

/// Keeps what is printed.
private enum Paper: DebugPrinter {
    static let lines = Mutex<[[String]]>([])
    static var isOn: Bool { true }
    static func print(_ lines: [String]) { Self.lines.withLock { $0.append(lines) } }
}

/// Fails if anything is printed.
private enum Silence: DebugPrinter {
    static var isOn: Bool { false }
    static func print(_ lines: [String]) { Issue.record("\(lines)") }
}

@Suite struct DebuggedTests {
    @Test func `a feature that is debugged prints each action and what it changed, and does what it did`() throws {
        typealias Debugged = Reducing.Debugged<Counter, Paper>
        var state = Counter.State(count: 4)
        for action in [.increment, .reset, .reset] as [Counter.Action] {
            for logged in try Debugged.prepare(action, state, .test) { #expect(Debugged.reduce(&state, logged, .test).isEmpty) }
        }
        #expect(state.count == 0)
        #expect(
            Paper.lines.withLock { $0 } == [
                [#"{"increment":{}}"#, "- count: 4", "+ count: 5"], [#"{"reset":{}}"#, "- count: 5", "+ count: 0"],
                [#"{"reset":{}}"#],
            ])
    }

    @Test func `while it is off it prints nothing, and a test store can't tell it from the feature itself`() {
        let store = TestStore(Counter.State(), of: Counter.debug(to: Silence.self))
        store.send(.increment) { $0.count = 1 }
        store.refuse(.shift(by: 1), name: "FactNotAllowed")
        store.finish()
        let (old, new) = (Counter.State(count: 1), Counter.State(count: 3))
        typealias Debugged = Reducing.Debugged<Counter, Silence>
        #expect(Debugged.scopes == Counter.scopes)
        #expect(Debugged.changedScopes(from: old, to: new) == Counter.changedScopes(from: old, to: new))
        #expect(Debugged.scopes(of: .reset) == Counter.scopes(of: .reset))
        #expect(Debugged.changes(from: old, to: new, limit: 1) == Counter.changes(from: old, to: new, limit: 1))
        #expect(Debugged.view(of: new) == Counter.view(of: new) && Debugged.summary(of: new) == Counter.summary(of: new))
        #expect(Debugged.nature(of: .shift(by: 1)) == .fact)
        #expect(Debugged.takenBack(new, from: new, to: old).state == old)
        #expect(Debugged.lists(of: new).isEmpty && Debugged.created(by: .reset) == [] && Debugged.indexedScope(of: .reset) == [])
        #expect((try? Debugged.compensation(from: new, to: old)) == [.shift(by: -2)])
    }

    @Test func `lines say what was and what is, and too many changes only that there are`() {
        let changes: [Change] = [
            Change(path: "items", kind: .insert, id: 1, at: 0, new: ["title": "a \"b\"\n"]),
            Change(path: "items", kind: .remove, id: 2, at: 3, old: ["title": "c"]),
            Change(path: "items", kind: .replace, id: 3, at: 1, old: ["done": false], new: ["done": true]),
            Change(path: "items", kind: .move, id: 4, at: 2, from: 5),
            Change(path: "", kind: .set, old: ["draft": ""], new: ["draft": "x"]),
        ]
        #expect(
            DebugLines.lines(of: changes) == [
                #"+ items[0] {"title":"a \"b\"\n"}"#, #"- items[3] {"title":"c"}"#, #"- items[1] {"done":false}"#,
                #"+ items[1] {"done":true}"#, "- items[5] id 4", "+ items[2] id 4", #"- draft: """#, #"+ draft: "x""#,
            ])
        let many = Array(repeating: changes[4], count: DebugLines.changesMax + 1)
        #expect(DebugLines.lines(of: many) == ["- more than can be shown", "+ more than can be shown"])
        #expect(DebugLines.lines(of: nil) == DebugLines.lines(of: many))
    }
}
