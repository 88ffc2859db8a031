import Chronicle
import ChronicleTesting
import FeatureApp
import FeatureCounter
import FeatureRepositories
import FeatureTodos
import Testing

/// A test store that is exhaustive for one feature only.
@Suite struct PartlyExhaustiveTests {
    private let store = TestStore(App.State(), of: App.self)

    @Test func `a change of another feature is optional, and must be right if expected`() {
        store.exhaustivity = .off(except: "todos")
        store.send(.counter(.increment))
        store.send(.counter(.increment)) { $0.counter.count = 2 }
        let messages = RecordedFoldTests.failures { store.send(.counter(.increment)) { $0.counter.count = 5 } }
        #expect(messages.count == 1 && messages.first?.contains("    - counter.count: 5\n    + counter.count: 3") == true)
        store.finish()
    }

    @Test func `a change of the feature itself must be expected`() {
        store.exhaustivity = .off(except: "todos")
        let messages = RecordedFoldTests.failures { store.send(.todos(.updateText("Milk"))) }
        #expect(messages.first?.hasPrefix("The state changed in an exhaustive part") == true && messages.count == 1)
        #expect(messages.first?.contains(#"    + todos.draft: "Milk""#) == true, "\(messages)")
        store.send(.todos(.updateText("Bread"))) { $0.todos.draft = "Bread" }
        store.finish()
    }

    @Test func `a part may be one field, and other fields are optional`() {
        store.exhaustivity = .off(except: "todos.items", "counter")
        store.send(.todos(.updateText("Milk")))
        #expect(RecordedFoldTests.failures { store.send(.counter(.increment)) }.count == 1)
        store.finish()
    }

    @Test func `a command of the feature must be expected, and one of another feature is optional`() {
        store.exhaustivity = .off(except: "todos")
        store.send(.repositories(.reload))
        store.send(.todos(.load)) { $0.todos.loading = true }
        let open = RecordedFoldTests.failures { store.finish() }
        #expect(open.count == 1 && open.first?.contains("1 command was not expected") == true, "\(open)")
        #expect(open.first?.contains("load") == true && open.first?.contains("fetch") == false, "\(open)")
    }

    @Test func `an unknown part is reported together with the known ones`() {
        store.exhaustivity = .off(except: "todoes")
        let messages = RecordedFoldTests.failures { store.send(.counter(.increment)) }
        #expect(messages.first?.hasPrefix("There is no part named todoes; there are todos, todos.items") == true, "\(messages)")
    }
}
