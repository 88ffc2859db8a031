import FeatureApp
import FeatureCounter
import FeatureRepositories
import FeatureStars
import FeatureTodos
import Fields
import Testing

@Suite struct RedactedActionTests {
    @Test func `texts go, and ids and numbers stay`() throws {
        let added = App.Action.todos(.add([Todo(id: 7, title: "Call Ada", note: "On 4711", tags: ["home"])]))
        let expected = App.Action.todos(
            .add([Todo(id: 7, title: "⟨redacted⟩", note: "⟨redacted⟩", tags: ["⟨redacted⟩"])]))
        #expect(added.redacted == expected)
        #expect(App.Action.todos(.updateText("A secret")).redacted == .todos(.updateText("⟨redacted⟩")))
        #expect(
            App.Action.stars(.failed("swift", reason: "no network")).redacted
                == .stars(.failed("swift", reason: "⟨redacted⟩")))
        #expect(
            App.Action.repositories(.loadFailed(language: "swift", reason: "no")).redacted
                == .repositories(.loadFailed(language: "swift", reason: "⟨redacted⟩")))
    }

    @Test func `what holds no text has nothing to take out`() {
        let actions: [App.Action] = [
            .counter(.increment), .todos(.remove(3)), .todos(.updateText("")), .stars(.starred("swift")),
        ]
        for action in actions {
            #expect(action.redacted == nil)
        }
        let once = App.Action.todos(.updateText("A secret")).redacted
        #expect(once?.redacted == nil)
    }
}
