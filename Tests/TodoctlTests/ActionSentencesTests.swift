import Chronicle
import FeatureAlerts
import FeatureApp
import FeatureCounter
import FeatureFlows
import FeaturePosts
import FeatureRepositories
import FeatureStars
import FeatureTodos
import FeatureViews
import Testing
import TodoAPI

@testable import todoctl

@Suite struct ActionSentencesTests {
    private static func defaultInstances<Action: CaseCoding>(_ type: Action.Type) -> [Action] {
        (1...type.numberMax).compactMap { type.defaultInstance($0) }
    }

    /// One instance of each action of the app, formatted with the descriptions of its features.
    private static let actions: [App.Action] = defaultInstances(App.Action.self).flatMap {
        (feature: App.Action) -> [App.Action] in
        switch feature {
        case .todos: defaultInstances(Todos.Action.self).map(App.Action.todos)
        case .counter: defaultInstances(Counter.Action.self).map(App.Action.counter)
        case .alerts: defaultInstances(Alerts.Action.self).map(App.Action.alerts)
        case .posts: defaultInstances(Posts.Action.self).map(App.Action.posts)
        case .stars: defaultInstances(Stars.Action.self).map(App.Action.stars)
        case .repositories: defaultInstances(Repositories.Action.self).map(App.Action.repositories)
        case .flows: defaultInstances(Flows.Action.self).map(App.Action.flows)
        case .views: defaultInstances(Views.Action.self).map(App.Action.views)
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

    @Test func `an action of another app is described by its names`() {
        let record = RecordMessage(
            sequence: 1, time: 0, kind: "action", origin: 7, step: 1, build: 1, action: ["errands": ["run": ["far": true]]],
            commands: [])
        #expect(RecordSentence(record).known == nil)
        #expect(RecordSentence(record).text == "errands run yes")
    }
}
