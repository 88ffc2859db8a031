import FeatureAlerts
import FeatureApp
import FeatureFlows
import FeatureRepositories
import FeatureTodos
import Fields
import StoreTesting

let swift = Repository(id: 1, fullName: "swiftlang/swift", url: "https://github.com/swiftlang/swift", stars: 67_000)
let vapor = Repository(id: 2, fullName: "vapor/vapor", url: "https://github.com/vapor/vapor", stars: 24_000)
let linux = Repository(id: 3, fullName: "torvalds/linux", url: "https://github.com/torvalds/linux", stars: 180_000)

let sevenLanguages = Repositories.State.initialLanguages

/// A store of the whole app.
func appStore(_ state: App.State = .init()) -> TestStore<App> { TestStore(state, of: App.self) }

/// An app whose list of repositories was loaded once.
let liveApp = App.State(repositories: .init(items: [swift, vapor], isLive: true))

extension App.State {
    /// Prepares and applies what is dispatched or brought back; gives what was logged.
    @discardableResult
    mutating func dispatch(_ action: App.Action) throws(Refusal) -> [App.Action] {
        let logged = try App.prepare(action, self, .test)
        for action in logged { _ = App.reduce(&self, action, .test) }
        return logged
    }
}

/// The name of the refusal, or `nil` if there was none.
func refusal(of action: App.Action, in state: App.State) -> String? {
    do {
        _ = try App.prepare(action, state, .test)
        return nil
    } catch { return error.name }
}
