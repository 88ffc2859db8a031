import Chronicle
import ChronicleTesting
import FeatureAlerts
import FeatureApp
import FeatureFlows
import FeatureRepositories
import FeatureTodos
import TestSupport

let swift = Repository(id: 1, fullName: "swiftlang/swift", url: "https://github.com/swiftlang/swift", stars: 67_000)
let vapor = Repository(id: 2, fullName: "vapor/vapor", url: "https://github.com/vapor/vapor", stars: 24_000)
let linux = Repository(id: 3, fullName: "torvalds/linux", url: "https://github.com/torvalds/linux", stars: 180_000)

let sevenLanguages = Repositories.State.initialLanguages

func appStore(_ state: App.State = .init()) -> TestStore<App> { TestStore(state, of: App.self) }

/// An app whose repositories were loaded once.
let liveApp = App.State(repositories: .init(items: [swift, vapor], isLive: true))

extension App.State {
    /// Prepares and applies an action; returns the logged actions.
    @discardableResult
    mutating func dispatch(_ action: App.Action) throws(Refusal) -> [App.Action] {
        let logged = try App.prepare(action, self, .test)
        for action in logged { _ = App.reduce(&self, action, .test) }
        return logged
    }
}

func refusal(of action: App.Action, in state: App.State) -> String? { App.refusal(of: action, in: state) }
