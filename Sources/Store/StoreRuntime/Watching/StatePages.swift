public import Reducing

/// A state, or a view, in pieces small enough to send: first everything but the elements of lists, then these, page by page.
///
/// All pieces are of one sequence, because they are taken from one value.
public struct StatePages<App: Feature>: Sendable {
    private let summary: Value
    private let lists: [ListView]
    private var list = 0
    private var element = 0
    private var begun = false

    /// Begins with a state, or with the part of it that a scope names.
    public init(of state: App.State, scope: Int?) {
        let filter = ScopeFilter(scope.map { App.scopes[$0] })
        summary = filter.pick(from: App.summary(of: state))
        lists = App.lists(of: state).filter { filter.contains($0) && $0.count > 0 }
    }

    /// Begins with what is followed of a state.
    public init(of state: App.State, _ watched: Watched) {
        switch watched {
        case .state(let scope): self.init(of: state, scope: scope)
        case .view(let name, _): self.init(App.viewParts(of: state, child: name) ?? ViewParts(.null))
        }
    }

    /// Begins with a view.
    public init(_ view: ViewParts) {
        summary = view.outline
        lists = view.lists.map(\.rows).filter { $0.count > 0 }
    }

    /// The next piece; `nil` after the last.
    ///
    /// - Parameter elementsMax: how many list elements it may hold.
    public mutating func next(elementsMax: Int = Limits.pageRecordsMax) -> Value? {
        guard begun else {
            begun = true
            return summary
        }
        guard list < lists.count else { return nil }
        let current = lists[list]
        var page = ListPage(elementsMax: elementsMax)
        filling: while element < current.count, !page.isFull {
            for value in current.elements(element..<min(element + Limits.pageRecordsMax, current.count)) {
                guard page.take(value) else { break filling }
                element += 1
            }
        }
        if element == current.count {
            list += 1
            element = 0
        }
        return current.placed(page.elements)
    }

    /// Whether pieces are left.
    public var hasMore: Bool { !begun || list < lists.count }
}
