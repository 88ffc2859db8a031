import FeatureAlerts
import FeatureApp
import FeatureCounter
import FeatureFlows
import FeaturePosts
import FeatureRepositories
import FeatureStars
import FeatureTodos
import FeatureViews
import Fields
import Reducing
import Testing
import TodoAPI

@testable import todoctl

@Suite struct ActionSentencesTests {
    private static func blanks<Action: Cased>(_ type: Action.Type) -> [Action] {
        (1...type.numberMax).compactMap { type.blank($0) }
    }

    /// One of each action that the app has, told by what each of its features says of itself.
    private static let actions: [App.Action] = blanks(App.Action.self).flatMap { (feature: App.Action) -> [App.Action] in
        switch feature {
        case .todos: blanks(Todos.Action.self).map(App.Action.todos)
        case .counter: blanks(Counter.Action.self).map(App.Action.counter)
        case .alerts: blanks(Alerts.Action.self).map(App.Action.alerts)
        case .posts: blanks(Posts.Action.self).map(App.Action.posts)
        case .stars: blanks(Stars.Action.self).map(App.Action.stars)
        case .repositories: blanks(Repositories.Action.self).map(App.Action.repositories)
        case .flows: blanks(Flows.Action.self).map(App.Action.flows)
        case .views: blanks(Views.Action.self).map(App.Action.views)
        }
    }

    @Test func `every action of the app has a sentence`() {
        #expect(Self.actions.count > 50)
        for action in Self.actions {
            let record = RecordMessage(
                sequence: 1, time: 0, kind: "action", origin: 7, step: 1, build: 1, action: action.value, commands: [])
            let sentence = RecordSentence(record).known
            #expect(sentence?.isEmpty == false, "\(action.value) has no sentence in the log")
            let path = RecordLines.path(action.value).joined(separator: " ")
            #expect(sentence?.hasPrefix(path) != true, "\(action.value) is said by its name")
        }
    }

    @Test func `what another app did is said by its names`() {
        let record = RecordMessage(
            sequence: 1, time: 0, kind: "action", origin: 7, step: 1, build: 1, action: ["errands": ["run": ["far": true]]],
            commands: [])
        #expect(RecordSentence(record).known == nil)
        #expect(RecordSentence(record).text == "errands run yes")
    }
}
