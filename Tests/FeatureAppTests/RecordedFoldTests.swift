import FeatureApp
import FeatureCounter
import Fields
import StoreTesting
import Synchronization
import Testing

/// What a test says that `todoctl export --as-test` wrote, when a reducer no longer does what it did.
@Suite struct RecordedFoldTests {
    /// The app, but what is counted comes to nothing, and what is to be loaded is forgotten.
    private enum Forgetful: Feature {
        static func prepare(_ action: App.Action, _ state: App.State, _ context: Context) throws(Refusal) -> [App.Action] {
            try App.prepare(action, state, context)
        }

        static func reduce(_ state: inout App.State, _ action: App.Action, _ context: Context) -> [App.Command] {
            let count = state.counter
            _ = App.reduce(&state, action, context)
            state.counter = count
            return []
        }
    }

    private let increment = #"{"counter":{"increment":{}}}"#
    private let counted = ["- counter.count: 0", "+ counter.count: 1"]
    private let load = #"{"todos":{"load":{}}}"#
    private let loading = ["- todos.loading: false", "+ todos.loading: true"]
    private let beginning = App.State().value.description

    @Test func `a record that does what it did passes`() throws {
        let store = try TestStore(recorded: beginning, of: App.self)
        store.fold(1, increment, time: 5, origin: 7, changing: counted)
        store.fold(2, load, time: 6, origin: 7, asking: ["todos.load {}"], changing: loading)
        store.fold(3, load, time: 7, origin: 7, asking: ["todos.load {}"], changing: nil)
        #expect(store.logged.map(\.context) == [5, 6, 7].map { Context(time: $0, origin: 7) })
        store.finish()
    }

    @Test func `a reducer that forgets something is told with the record and with what is missing`() throws {
        let store = try TestStore(recorded: beginning, of: Forgetful.self)
        let uncounted = Self.failures { store.fold(42, increment, time: 5, origin: 7, changing: counted) }
        #expect(uncounted.first?.hasPrefix("Record 42 changes something else than it did:") == true)
        #expect(uncounted.first?.contains("+ counter.count: 1") == true && uncounted.count == 1, "\(uncounted)")
        let unasked = Self.failures { store.fold(47, load, time: 6, origin: 7, asking: ["todos.load {}"], changing: loading) }
        #expect(unasked.first?.hasPrefix("Record 47 asks for other commands than it did:") == true && unasked.count == 1)
        let unread = Self.failures { store.fold(48, #"{"counter":{"explode":{}}}"#, time: 7, origin: 7) }
        #expect(unread.first?.hasPrefix("Record 48 holds no action of this app:") == true)
        store.finish()
    }

    @Test func `what is no state can't be begun with`() {
        #expect(throws: (any Error).self) { try TestStore(recorded: #"{"weather":{}}"#, of: App.self) }
    }

    static func failures(in piece: () -> Void) -> [String] {
        let seen = Mutex<[String]>([])
        withKnownIssue {
            piece()
        } matching: { issue in
            seen.withLock { $0.append(issue.comments.map(\.rawValue).joined(separator: "\n")) }
            return true
        }
        return seen.withLock { $0 }
    }
}
