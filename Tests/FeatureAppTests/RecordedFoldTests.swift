import Chronicle
import ChronicleTesting
import FeatureApp
import FeatureCounter
import Synchronization
import Testing

/// Failures of a test that `todoctl export --as-test` wrote, after a reducer has changed.
@Suite struct RecordedFoldTests {
    /// An app that ignores counter actions and load commands.
    private enum Forgetful: Feature {
        typealias State = App.State
        typealias Action = App.Action
        typealias Command = App.Command

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

    @Test func `an unchanged record passes`() throws {
        let store = try TestStore(recorded: beginning, of: App.self)
        store.fold(1, increment, time: 5, origin: 7, changing: counted)
        store.fold(2, load, time: 6, origin: 7, asking: ["todos.load {}"], changing: loading)
        store.fold(3, load, time: 7, origin: 7, asking: ["todos.load {}"], changing: nil)
        #expect(store.logged.map(\.context) == [5, 6, 7].map { Context(time: $0, origin: 7) })
        store.finish()
    }

    @Test func `a failure names the record and the missing changes`() throws {
        let store = try TestStore(recorded: beginning, of: Forgetful.self)
        let uncounted = Self.failures { store.fold(42, increment, time: 5, origin: 7, changing: counted) }
        #expect(uncounted.first?.hasPrefix("Record 42 makes other changes than it did:") == true)
        #expect(uncounted.first?.contains("+ counter.count: 1") == true && uncounted.count == 1, "\(uncounted)")
        let unasked = Self.failures { store.fold(47, load, time: 6, origin: 7, asking: ["todos.load {}"], changing: loading) }
        #expect(unasked.first?.hasPrefix("Record 47 requests other commands than it did:") == true && unasked.count == 1)
        let unread = Self.failures { store.fold(48, #"{"counter":{"explode":{}}}"#, time: 7, origin: 7) }
        #expect(unread.first?.hasPrefix("Record 48 holds no action of this app:") == true)
        store.finish()
    }

    @Test func `an invalid state can't be the start`() {
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
