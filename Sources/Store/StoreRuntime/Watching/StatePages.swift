public import Reducing

/// A state in pieces small enough to send: first everything but the elements of lists, then these, page by page.
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
        var elements = current.elements(element..<min(element + elementsMax, current.count))
        elements.removeLast(elements.count - Self.fitting(elements))
        element += elements.count
        if element == current.count {
            list += 1
            element = 0
        }
        return current.placed(elements)
    }

    // Notes may be long: a page also ends where its elements reach 256 KiB, but has at least one.
    private static func fitting(_ elements: [Value]) -> Int {
        var bytes = 0
        for (index, element) in elements.enumerated() {
            bytes += element.approximateBytes
            if bytes > Limits.statePageBytesMax, index > 0 { return index }
        }
        return elements.count
    }

    /// Whether pieces are left.
    public var hasMore: Bool { !begun || list < lists.count }
}
