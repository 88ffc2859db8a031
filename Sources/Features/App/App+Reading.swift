public import Reducing

extension App {
    /// The changes of all features.
    public static func changes(from old: State, to new: State, limit: Int) -> [Change]? {
        changes(from: old, to: new, limit: limit, within: [])
    }

    /// The changes of the feature that some names lead to.
    public static func changes(from old: State, to new: State, limit: Int, within names: [String]) -> [Change]? {
        var changes: [Change] = []
        func add(_ more: [Change]?) -> Bool {
            changes += more ?? []
            return more != nil
        }
        guard add(todos.changes(from: old, to: new, limit: limit, within: names)),
            add(counter.changes(from: old, to: new, limit: limit - changes.count, within: names)),
            add(alerts.changes(from: old, to: new, limit: limit - changes.count, within: names)),
            add(posts.changes(from: old, to: new, limit: limit - changes.count, within: names)),
            add(stars.changes(from: old, to: new, limit: limit - changes.count, within: names)),
            add(repositories.changes(from: old, to: new, limit: limit - changes.count, within: names)),
            add(flows.changes(from: old, to: new, limit: limit - changes.count, within: names))
        else { return nil }
        return changes
    }

    /// Each feature's shape under its name.
    public static let shape = Shape.record([
        todos.shape, counter.shape, alerts.shape, posts.shape, stars.shape, repositories.shape, flows.shape,
    ])

    /// Each feature's outline under its name.
    public static func outline(of state: State) -> Value {
        .record([
            todos.outline(of: state), counter.outline(of: state), alerts.outline(of: state), posts.outline(of: state),
            stars.outline(of: state), repositories.outline(of: state), flows.outline(of: state),
        ])
    }

    /// The lists of all features.
    public static func lists(of state: State) -> [ListView] {
        todos.lists(of: state) + counter.lists(of: state) + alerts.lists(of: state) + posts.lists(of: state)
            + stars.lists(of: state) + repositories.lists(of: state) + flows.lists(of: state)
    }

    /// Each feature's view under its name.
    public static func view(of state: State) -> Value {
        .record([
            todos.view(of: state), counter.view(of: state), alerts.view(of: state), posts.view(of: state),
            stars.view(of: state), repositories.view(of: state), flows.view(of: state),
        ])
    }
}
