import Chronicle
import ChronicleTesting
import FeatureFlows
import TestSupport
import Testing

/// Encodings, scopes, changes and view of flows.
@Suite struct FlowsFormTests {
    @Test(arguments: 0..<10 as Range<UInt64>) func `the laws of a feature hold`(seed: UInt64) {
        var random = SeededGenerator(seed)
        checkLaws(of: Flows.self, actions: (0..<100).map { _ in random.action() })
    }

    @Test func `the encoding is stable`() throws {
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

    @Test func `an action is encoded by its name`() throws {
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

    @Test func `the view has a row for each flow and marks waiting ones`() {
        #expect(
            Flows.view(of: Flows.State(items: [colour, shade])) == [
                "rows": [
                    ["id": 1, "kind": "colour", "parent": 0, "options": ["red", "green"], "waits": true],
                    ["id": 2, "kind": "shade", "parent": 1, "options": [], "waits": false],
                ]
            ])
    }

    @Test func `starting or ending a flow is one change, plus one of the next ID`() throws {
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
    }

    /// 64-bit FNV-1a.
    @Test func `a fixed script of actions has a stable encoding`() {
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
