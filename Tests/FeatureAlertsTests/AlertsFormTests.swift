import Chronicle
import ChronicleTesting
import FeatureAlerts
import TestSupport
import Testing

/// Encodings, scopes and changes of alerts.
@Suite struct AlertsFormTests {
    @Test(arguments: 0..<10 as Range<UInt64>) func `the laws of a feature hold`(seed: UInt64) {
        var random = SeededGenerator(seed)
        checkLaws(
            of: Alerts.self, states: (0..<4).map { _ in random.state() }, actions: (0..<60).map { _ in random.action() })
    }

    @Test func `the encoding is stable`() throws {
        #expect(Alerts.State().canonicalBytes.isEmpty)
        #expect(Alerts.State(items: [Alert(id: 2, text: "hi")]).canonicalBytes == [5, 6, 4, 2, 9, 2, 0x68, 0x69, 8, 2])
        #expect(Alerts.Action.raise("hi", id: 2).canonicalBytes == [5, 6, 4, 2, 9, 2, 0x68, 0x69])
        #expect(Alerts.Action.raise("hi").canonicalBytes == [5, 4, 9, 2, 0x68, 0x69])
        #expect(Alerts.Action.dismiss(300).canonicalBytes == [9, 3, 4, 0xAC, 2])
        #expect(Alerts.Action.dismissAll.canonicalBytes == [13, 0])
        #expect(
            Alerts.Action.restore(.init(removed: [1], placed: [.init(Alert(id: 2, text: "hi"), at: 0)])).canonicalBytes == [
                17, 12, 4, 1, 9, 8, 5, 6, 4, 2, 9, 2, 0x68, 0x69,
            ])
        for bytes in [[], [21, 0], [9, 0], [9, 2, 8, 1], [13, 1, 0], [13, 0, 13, 0], [5, 2, 12, 1]] as [[UInt8]] {
            #expect(throws: CanonicalError.self) { try Alerts.Action(canonical: bytes) }
        }
    }

    @Test func `a state with a duplicate or invalid ID, or with too many alerts, is an error`() {
        let encoded = { (alerts: [Alert], highest: UInt64) in
            var writer = CanonicalWriter()
            for alert in alerts { writer.message(1, alert) }
            writer.field(2, highest)
            return writer.bytes
        }
        let many = (1...101 as ClosedRange<UInt64>).map { Alert(id: $0, text: "") }
        #expect(throws: Never.self) { try Alerts.State(canonical: encoded([hot, cold], 2)) }
        #expect(throws: CanonicalError.self) { try Alerts.State(canonical: encoded([hot, hot], 2)) }
        #expect(throws: CanonicalError.self) { try Alerts.State(canonical: encoded([Alert(id: 0, text: "")], 2)) }
        #expect(throws: CanonicalError.self) { try Alerts.State(canonical: encoded([hot, cold], 1)) }
        #expect(throws: CanonicalError.self) { try Alerts.State(canonical: encoded(many, 101)) }
        #expect(throws: ValueMismatch("items", "at most 100 alerts are expected")) { try Alerts.State(["items": many.value]) }
    }

    @Test func `actions and states are encoded by name`() throws {
        let pairs: [(Alerts.Action, Value)] = [
            (.raise("hi"), ["raise": ["text": "hi"]]), (.raise("hi", id: 2), ["raise": ["id": 2, "text": "hi"]]),
            (.dismiss(1), ["dismiss": ["id": 1]]), (.dismissAll, ["dismissAll": [:]]),
        ]
        for (action, value) in pairs {
            #expect(action.value == value)
            #expect(try Alerts.Action(value) == action)
        }
        #expect(throws: ValueMismatch("dismiss.id", "this field is missing")) { try Alerts.Action(["dismiss": [:]]) }
        #expect(throws: ValueMismatch("dismissAll.id", "there is no such field")) { try Alerts.Action(["dismissAll": ["id": 1]]) }
        #expect(throws: ValueMismatch("shout", "there is no such action")) { try Alerts.Action(["shout": [:]]) }
        #expect(try Alerts.State([:]) == Alerts.State())
        #expect(throws: ValueMismatch("items[1].id", "the id 1 is taken")) {
            try Alerts.State(["items": [hot.value, hot.value]])
        }
        #expect(throws: ValueMismatch.self) { try Alerts.State(["items": [cold.value], "nextID": 2]) }
        #expect(throws: ValueMismatch("colour", "there is no such field")) { try Alerts.State(["colour": 1]) }
    }
}
