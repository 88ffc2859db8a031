import FeatureApp
import FeatureCounter
import FeatureRepositories
import FeatureTodos
import Fields
import StoreTesting
import Testing

/// A test store that wants everything said of one feature, and of the others only what is so.
@Suite struct PartlyExhaustiveTests {
    private let store = TestStore(App.State(), of: App.self)

    @Test func `a change of another feature need not be said, and must be so if it is`() {
        store.exhaustivity = .off(except: "todos")
        store.send(.counter(.increment))
        store.send(.counter(.increment)) { $0.counter.count = 2 }
        let messages = RecordedFoldTests.failures { store.send(.counter(.increment)) { $0.counter.count = 5 } }
        #expect(messages.count == 1 && messages.first?.contains("    - counter.count: 5\n    + counter.count: 3") == true)
        store.finish()
    }

    @Test func `a change of the feature itself must be said`() {
        store.exhaustivity = .off(except: "todos")
        let unsaid = RecordedFoldTests.failures { store.send(.todos(.updateText("Milk"))) }
        #expect(unsaid.first?.hasPrefix("The state changed where everything must be said") == true && unsaid.count == 1)
        #expect(unsaid.first?.contains(#"    + todos.draft: "Milk""#) == true, "\(unsaid)")
        store.send(.todos(.updateText("Bread"))) { $0.todos.draft = "Bread" }
        store.finish()
    }

    @Test func `a part may be one field, and the others beside it need not be said`() {
        store.exhaustivity = .off(except: "todos.items", "counter")
        store.send(.todos(.updateText("Milk")))
        #expect(RecordedFoldTests.failures { store.send(.counter(.increment)) }.count == 1)
        store.finish()
    }

    @Test func `a command of the feature must be expected, one of another need not`() {
        store.exhaustivity = .off(except: "todos")
        store.send(.repositories(.reload))
        store.send(.todos(.load)) { $0.todos.loading = true }
        let open = RecordedFoldTests.failures { store.finish() }
        #expect(open.count == 1 && open.first?.contains("1 command was not expected") == true, "\(open)")
        #expect(open.first?.contains("load") == true && open.first?.contains("fetch") == false, "\(open)")
    }

    @Test func `a part that there is not is told with those that there are`() {
        store.exhaustivity = .off(except: "todoes")
        let messages = RecordedFoldTests.failures { store.send(.counter(.increment)) }
        #expect(messages.first?.hasPrefix("There is no part named todoes; there are todos, todos.items") == true, "\(messages)")
    }
}
