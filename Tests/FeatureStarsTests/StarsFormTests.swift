import Chronicle
import ChronicleTesting
import FeatureStars
import TestSupport
import Testing

/// Encodings, scopes and changes of stars.
@Suite struct StarsFormTests {
    @Test(arguments: 0..<10 as Range<UInt64>) func `the laws of a feature hold`(seed: UInt64) {
        var random = SeededGenerator(seed)
        checkLaws(
            of: Stars.self, states: (0..<6).map { _ in random.state() }, actions: (0..<30).map { _ in random.action() })
    }

    private func precedes(_ left: [UInt8], _ right: [UInt8]) -> Bool { left.lexicographicallyPrecedes(right) }

    @Test func `the encoding is stable`() throws {
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

    @Test func `a state with unordered or duplicate IDs, an invalid phase or a default button is an error`() {
        let a: [UInt8] = [5, 5, 5, 1, 0x61, 8, 1]
        let b: [UInt8] = [5, 5, 5, 1, 0x62, 8, 1]
        #expect(throws: Never.self) { try Stars.State(canonical: a + b) }
        for bytes in [b + a, a + a, [5, 3, 5, 1, 0x61], [5, 5, 5, 1, 0x61, 8, 4], [5, 2, 8, 1], [9, 0]] as [[UInt8]] {
            #expect(throws: CanonicalError.self) { try Stars.State(canonical: bytes) }
        }
    }

    @Test func `actions, commands and states are encoded by name`() throws {
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

    @Test func `a state may omit default values, and must be valid`() throws {
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

    @Test func `a new button has no old value, and a reset one has no new value`() throws {
        let empty = Stars.State()
        let one = Stars.State(items: ["a": Star(.staring)])
        let shown: Value = ["a": ["phase": "staring", "starCount": 0]]
        #expect(Stars.changes(from: empty, to: one, limit: 1) == [Change(path: "items", kind: .set, new: shown)])
        #expect(Stars.changes(from: one, to: empty, limit: 1) == [Change(path: "items", kind: .set, old: shown)])
        #expect(Stars.changes(from: one, to: empty, limit: 0) == nil)
        #expect(Stars.changes(from: one, to: one, limit: 0) == [])
    }
}
