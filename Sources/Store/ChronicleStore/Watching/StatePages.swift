public import Chronicle

/// A state or a view in pages: first everything but list elements, then these, page by page, all from one sequence.
public struct StatePages<App: Feature>: Sendable {
    private let summary: Value
    private let lists: [ListView]
    private var list = 0
    private var element = 0
    private var begun = false

    /// Creates pages of a state or of a scope of it.
    public init(of state: App.State, scope: Int?) {
        let filter = ScopeFilter(scope.map { App.scopes[$0] })
        summary = filter.pick(from: App.summary(of: state))
        lists = App.lists(of: state).filter { filter.contains($0) && $0.count > 0 }
    }

    /// Creates pages of the watched part of a state.
    public init(of state: App.State, _ watched: Watched) {
        switch watched {
        case .state(let scope): self.init(of: state, scope: scope)
        case .view(let name, _): self.init(App.viewParts(of: state, child: name) ?? ViewParts(.null))
        }
    }

    /// Creates pages of a view.
    public init(_ view: ViewParts) {
        summary = view.outline
        lists = view.lists.map(\.rows).filter { $0.count > 0 }
    }

    /// The next page; `nil` after the last.
    /// - Parameter elementsMax: maximum number of list elements.
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

    /// Whether pages are left.
    public var hasMore: Bool { !begun || list < lists.count }
}
