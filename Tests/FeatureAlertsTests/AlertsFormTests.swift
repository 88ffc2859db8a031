import FeatureAlerts
import Fields
import TestSupport
import Testing

/// What alerts are for others: values, bytes, scopes, changes.
@Suite struct AlertsFormTests {
    @Test(arguments: 0..<100 as Range<UInt64>)
    func `any action applies to any state, twice in the same way, and both are read back`(seed: UInt64) throws {
        var random = SeededGenerator(seed)
        var state = random.state()
        for _ in 0..<50 {
            let action = random.action()
            var again = state
            #expect(Alerts.reduce(&state, action, .test).isEmpty)
            #expect(Alerts.reduce(&again, action, .test).isEmpty)
            #expect(state.canonicalBytes == again.canonicalBytes)
            #expect(state.items.count <= Alerts.Limits.alertsMax)
            #expect(state.items.elements.allSatisfy { Alerts.Limits.ids.contains($0.id) && $0.id < state.nextID })
            if let read = try? Alerts.Action(canonical: action.canonicalBytes) { #expect(read == action) }
            if let read = try? Alerts.Action(action.value) { #expect(read == action) }
            for logged in (try? Alerts.prepare(action, state, .test)) ?? [] {
                #expect(try Alerts.Action(canonical: logged.canonicalBytes) == logged)
                #expect(try Alerts.Action(logged.value) == logged)
            }
        }
        #expect(try Alerts.State(state.value) == state)
        #expect(try Alerts.State(canonical: state.canonicalBytes) == state)
    }

    @Test(arguments: 0..<100 as Range<UInt64>)
    func `drawing the changes ends in the same screen as drawing everything`(seed: UInt64) throws {
        var random = SeededGenerator(seed)
        let first = random.state()
        var second = seed % 2 == 0 ? first : random.state()
        for _ in 0..<random.number(0..<20) { second.reduce(random.action()) }
        for (old, new) in [(first, second), (second, first)] {
            var screen = Screen(old, of: Alerts.self)
            let changes = try #require(Alerts.changes(from: old, to: new, limit: .max))
            for change in changes {
                let fits = screen.apply(change)
                #expect(fits)
            }
            #expect(screen == Screen(new, of: Alerts.self))
            #expect(changes.isEmpty == (old == new))
            #expect(Alerts.changedScopes(from: old, to: new).isEmpty == (old == new))
            if !changes.isEmpty { #expect(Alerts.changes(from: old, to: new, limit: changes.count - 1) == nil) }
        }
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func `changed bytes are an error or mean something else, and never trap`(seed: UInt64) {
        var random = SeededGenerator(seed)
        for original in [random.action().canonicalBytes, random.state(20).canonicalBytes] {
            var bytes = original
            for _ in 0..<10 where !bytes.isEmpty {
                bytes[random.number(0..<bytes.count)] = UInt8(random.number(0..<256))
                if let action = try? Alerts.Action(canonical: bytes) { #expect(action.canonicalBytes == bytes) }
                if let state = try? Alerts.State(canonical: bytes) { #expect(state.canonicalBytes == bytes) }
            }
        }
    }

    @Test func `the bytes are these`() throws {
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

    @Test func `a state with an id twice, 0 or above the highest, or with too many alerts, is an error`() {
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

    @Test func `actions and states are written by name`() throws {
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

    @Test func `a state shows what is stored and nothing that can be derived`() {
        guard case .record(let fields) = Alerts.State(items: [hot]).value else { return }
        #expect(fields.map(\.name) == Alerts.scopes)
    }

    @Test func `texts that Unicode calls equal differ when their bytes do`() {
        #expect(Alert(id: 1, text: "\u{E9}") != Alert(id: 1, text: "e\u{301}"))
        #expect(Alerts.Action.raise("\u{E9}") != .raise("e\u{301}"))
    }

    @Test func `an action says which parts it is about`() {
        #expect(Alerts.scopes(of: .raise("x")) == [ScopeSet(index: 0), ScopeSet(index: 1)])
        #expect(Alerts.scopes(of: .dismiss(1)) == ScopeSet(index: 0))
    }
}
