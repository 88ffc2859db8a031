import FeatureStars
import Fields
import TestSupport
import Testing

/// What stars are for others: values, bytes, scopes, changes.
@Suite struct StarsFormTests {
    @Test(arguments: 0..<200 as Range<UInt64>)
    func `any action applies to any state, twice in the same way, and both are read back`(seed: UInt64) throws {
        var random = SeededGenerator(seed)
        var state = random.state()
        for _ in 0..<60 {
            let action = random.action()
            var again = state
            let commands = Stars.reduce(&state, action, .test)
            #expect(Stars.reduce(&again, action, .test) == commands)
            #expect(state.canonicalBytes == again.canonicalBytes)
            #expect(state.entries.allSatisfy { $0.star.starCount >= 0 && $0.star != Star() })
            #expect(state.entries.map { Array($0.id.utf8) } == state.entries.map { Array($0.id.utf8) }.sorted(by: precedes))
            for command in commands { #expect(try Stars.Command(canonical: command.canonicalBytes) == command) }
            if (1...100).contains(action.id.utf8.count) {
                #expect(try Stars.Action(canonical: action.canonicalBytes) == action)
            } else {
                #expect(throws: CanonicalError.self) { try Stars.Action(canonical: action.canonicalBytes) }
            }
            #expect(try Stars.Action(action.value) == action)
            for logged in (try? Stars.prepare(action, state, .test)) ?? [] {
                if case .press = logged { Issue.record("a press must not be logged") }
                var next = state
                state.reduce(logged)
                #expect(Stars.reduce(&next, logged, .test).count <= 1)
            }
        }
        #expect(try Stars.State(state.value) == state)
        #expect(try Stars.State(canonical: state.canonicalBytes) == state)
    }

    private func precedes(_ left: [UInt8], _ right: [UInt8]) -> Bool { left.lexicographicallyPrecedes(right) }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func `drawing the changes ends in the same screen as drawing everything`(seed: UInt64) throws {
        var random = SeededGenerator(seed)
        let first = random.state()
        var second = seed % 2 == 0 ? first : random.state()
        for _ in 0..<random.number(0..<10) { second.reduce(random.action()) }
        for (old, new) in [(first, second), (second, first)] {
            var screen = Screen(old, of: Stars.self)
            let changes = try #require(Stars.changes(from: old, to: new, limit: .max))
            for change in changes {
                let fits = screen.apply(change)
                #expect(fits)
            }
            #expect(screen == Screen(new, of: Stars.self))
            #expect(changes.isEmpty == (old == new))
            #expect(Stars.changedScopes(from: old, to: new).isEmpty == (old == new))
            if !changes.isEmpty { #expect(Stars.changes(from: old, to: new, limit: changes.count - 1) == nil) }
            #expect(Stars.changes(from: old, to: new, limit: changes.count) == changes)
        }
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func `changed bytes are an error or mean something else, and never trap`(seed: UInt64) {
        var random = SeededGenerator(seed)
        for original in [random.action().canonicalBytes, random.state().canonicalBytes] {
            var bytes = original
            for _ in 0..<10 where !bytes.isEmpty {
                bytes[random.number(0..<bytes.count)] = UInt8(random.number(0..<256))
                if let action = try? Stars.Action(canonical: bytes) { #expect(action.canonicalBytes == bytes) }
                if let state = try? Stars.State(canonical: bytes) { #expect(state.canonicalBytes == bytes) }
                if let command = try? Stars.Command(canonical: bytes) { #expect(command.canonicalBytes == bytes) }
            }
        }
    }

    @Test func `the bytes are these`() throws {
        #expect(Stars.State().canonicalBytes.isEmpty)
        #expect(
            Stars.State(items: ["b": Star(.star, starCount: 300), "a": Star(.staring)]).canonicalBytes == [
                5, 5, 5, 1, 0x61, 8, 1, 5, 8, 5, 1, 0x62, 8, 2, 12, 0xAC, 2,
            ])
        let actions: [Stars.Action] = [
            .press("a"), .staring("a"), .unstaring("a"), .starred("a"), .unstarred("a"), .failed("a", reason: ""),
        ]
        for (action, tag) in zip(actions, [5, 9, 13, 17, 21, 25] as [UInt8]) {
            #expect(action.canonicalBytes == [tag, 3, 5, 1, 0x61])
        }
        #expect(Stars.Action.failed("a", reason: "no").canonicalBytes == [25, 7, 5, 1, 0x61, 9, 2, 0x6E, 0x6F])
        #expect(Stars.Command.star("a").canonicalBytes == [5, 3, 5, 1, 0x61])
        #expect(Stars.Command.unstar("a").canonicalBytes == [9, 3, 5, 1, 0x61])
        for bytes in [[], [29, 0], [5, 0], [5, 3, 9, 1, 0x61], [9, 6, 5, 1, 0x61, 9, 1, 0x62]] as [[UInt8]] {
            #expect(throws: CanonicalError.self) { try Stars.Action(canonical: bytes) }
        }
        for bytes in [[], [13, 3, 5, 1, 0x61], [5, 0], [5, 3, 9, 1, 0x61], [5, 2, 5, 0]] as [[UInt8]] {
            #expect(throws: CanonicalError.self) { try Stars.Command(canonical: bytes) }
        }
    }

    @Test func `a state with ids out of order or twice, an impossible phase, or a button as it began, is an error`() {
        let a: [UInt8] = [5, 5, 5, 1, 0x61, 8, 1]
        let b: [UInt8] = [5, 5, 5, 1, 0x62, 8, 1]
        #expect(throws: Never.self) { try Stars.State(canonical: a + b) }
        for bytes in [b + a, a + a, [5, 3, 5, 1, 0x61], [5, 5, 5, 1, 0x61, 8, 4], [5, 2, 8, 1], [9, 0]] as [[UInt8]] {
            #expect(throws: CanonicalError.self) { try Stars.State(canonical: bytes) }
        }
    }

    @Test func `actions, commands and states are written by name`() throws {
        #expect(Stars.Action.press("a").value == ["press": ["id": "a"]])
        #expect(Stars.Action.staring("a").value == ["staring": ["id": "a"]])
        #expect(Stars.Action.failed("a", reason: "no").value == ["failed": ["id": "a", "reason": "no"]])
        #expect(throws: ValueMismatch("press.id", "this field is missing")) { try Stars.Action(["press": [:]]) }
        #expect(throws: ValueMismatch("press.hard", "there is no such field")) {
            try Stars.Action(["press": ["id": "a", "hard": true]])
        }
        #expect(throws: ValueMismatch("shine", "there is no such action")) { try Stars.Action(["shine": ["id": "a"]]) }
        #expect(Stars.Command.star("a").name == "stars.star" && Stars.Command.unstar("a").name == "stars.unstar")
        #expect(Stars.Command.star("a").arguments == ["id": "a"])
        #expect(
            Stars.State(items: ["b": Star(.star, starCount: 2), "a": Star(.staring)]).value == [
                "items": ["a": ["phase": "staring", "starCount": 0], "b": ["phase": "star", "starCount": 2]]
            ])
    }

    @Test func `a state may leave out what it begins with, and must make sense`() throws {
        #expect(try Stars.State(["items": ["a": ["phase": "unstar"], "b": .null]]) == Stars.State())
        #expect(try Stars.State(["items": ["b": ["phase": "star"], "a": ["starCount": 2]]]).entries.map(\.id) == ["a", "b"])
        let mismatches: [(Value, String)] = [
            (["items": ["a": ["phase": "shining"]]], "items.a.phase"), (["items": ["a": ["starCount": -1]]], "items.a.starCount"),
            (["items": ["a": ["phase": "star"], "a": ["phase": "star"]]], "items.a"), (["items": []], "items"),
            (["items": ["": ["phase": "star"]]], "items"), (["colour": 1], "colour"),
        ]
        for (value, path) in mismatches {
            let error = #expect(throws: ValueMismatch.self) { try Stars.State(value) }
            #expect(error?.path == path)
        }
    }

    @Test func `a state shows what is stored and nothing that can be derived`() {
        guard case .record(let fields) = Stars.State(items: ["a": Star(.star, starCount: 1)]).value else { return }
        #expect(fields.map(\.name) == Stars.scopes)
        #expect(Stars.summary(of: Stars.State()) == ["items": [:]])
        #expect(Stars.lists(of: Stars.State()).isEmpty)
    }

    @Test func `a button that comes has no old value, one that stands again as it began no new one`() throws {
        let empty = Stars.State()
        let one = Stars.State(items: ["a": Star(.staring)])
        let shown: Value = ["a": ["phase": "staring", "starCount": 0]]
        #expect(Stars.changes(from: empty, to: one, limit: 1) == [Change(path: "items", kind: .set, new: shown)])
        #expect(Stars.changes(from: one, to: empty, limit: 1) == [Change(path: "items", kind: .set, old: shown)])
        #expect(Stars.changes(from: one, to: empty, limit: 0) == nil)
        #expect(Stars.changes(from: one, to: one, limit: 0) == [])
    }
}
