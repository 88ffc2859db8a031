import Expressions
import Reducing
import StoreRuntime
import TimeTravel
import TodoAPI

/// Which elements of one list of the state somebody wants.
struct ListSelection<App: DaemonApp>: Sendable {
    private enum Choice: Sendable {
        case id(Int64)
        case all(where: Expression?, limit: Int)
    }

    private let path: String
    private let choice: Choice

    /// Reads it from a call; `nil` when all of the scope is wanted.
    ///
    /// - Throws: `badExpression`, and `invalidParameter` when the scope is no list, or an id does not stand alone.
    init?(_ input: GetStateMethod.Input) throws(APIError) {
        guard input.id != nil || input.where != nil || input.limit != nil else { return nil }
        let names = (input.scope ?? "").split(separator: ".")
        guard let path = input.scope, case .list(let element)? = names.reduce(App.shape as Shape?, { $0?[String($1)] }) else {
            throw .invalidParameter("scope")
        }
        self.path = path
        if let id = input.id {
            guard input.where == nil, input.limit == nil else { throw .invalidParameter("id") }
            choice = .id(id)
        } else {
            let condition = try input.where.map { text throws(APIError) in try Expression(sent: text, of: element, on: .element) }
            choice = .all(where: condition, limit: input.limit.map { Int(clamping: $0) } ?? .max)
        }
    }

    /// How long it may take to find them.
    var length: QueryThread.Length {
        if case .all(.some, _) = choice { return .long }
        return .short
    }

    /// Begins to look for them in a state.
    ///
    /// - Throws: `refused` with `UnknownID` when an id is wanted that no element has.
    func pages(of shown: StateAtPoint<App>, _ queries: isolated Queries) async throws -> SelectedPages {
        guard let list = App.lists(of: shown.state).first(where: { $0.path == path }) else {
            throw APIError.invalidParameter("scope")
        }
        switch choice {
        case .all(let condition, let limit):
            return SelectedPages(list: list, condition: condition, limit: limit, at: shown.sequence)
        case .id(let id):
            guard let element = try await element(id, of: list, queries) else {
                throw APIError.refused(Refusal("UnknownID", "there is no \(id) in \(path)"), action: 0)
            }
            return SelectedPages(list: list, element: element)
        }
    }

    private func element(_ id: Int64, of list: ListView, _ queries: isolated Queries) async throws(StoreError) -> Value? {
        if let find = list.find { return find(id) }
        var start = 0
        while start < list.count {
            let end = min(start + Limits.pageRecordsMax, list.count)
            if let element = list.elements(start..<end).first(where: { $0["id"] == .int(id) }) { return element }
            start = end
            try await queries.yieldIfNeeded()
        }
        return nil
    }
}

/// The elements of a list that were selected, in pieces small enough to send: first none of them, then page by page.
struct SelectedPages: StatePieces {
    /// How many elements the list has in all.
    let count: Int?
    private let list: ListView
    private var filter: ElementFilter?
    private var position = 0
    private var left: Int
    private var begun = false
    // An element that was found already, so that nothing is looked for.
    private var found: Value?

    init(
        list: ListView, condition: Expression?, limit: Int, at sequence: UInt64, stepsMax: Int = HistoryLimits.expressionStepsMax
    ) {
        (self.list, count, left) = (list, list.count, limit)
        filter = condition.map { ElementFilter($0, of: list, at: sequence, stepsMax: stepsMax) }
    }

    init(list: ListView, element: Value) {
        (self.list, count, left, found) = (list, list.count, 0, element)
    }

    var hasMore: Bool { !begun || left > 0 && position < list.count }

    /// The next piece; of the last elements perhaps none is wanted.
    ///
    /// - Throws: `tooManySteps` when the condition has taken more than `HistoryLimits.expressionStepsMax` for all elements.
    mutating func next(_ queries: isolated Queries) async throws(StoreError) -> Value {
        guard begun else {
            begun = true
            return list.placed(found.map { [$0] } ?? [])
        }
        var page = ListPage(elementsMax: Limits.statePageElementsMax)
        while left > 0, position < list.count, !page.isFull {
            let places = try await wanted(queries)
            position = places.lowerBound
            for element in list.elements(places.prefix(left)) {
                guard page.take(element) else { return list.placed(page.elements) }
                (position, left) = (position + 1, left - 1)
            }
        }
        return list.placed(page.elements)
    }

    // The next places in a row whose elements are wanted; none, at the end, if there are no more.
    private mutating func wanted(_ queries: isolated Queries) async throws(StoreError) -> Range<Int> {
        guard filter != nil else {
            try await queries.yieldIfNeeded()
            return position..<min(position + Limits.pageRecordsMax, list.count)
        }
        while let next = try filter?.next(in: position..<list.count, queries.memory) {
            switch next {
            case .found(let place): return place..<place + 1
            case .pause(let place):
                position = place
                try await queries.yieldIfNeeded()
            }
        }
        return list.count..<list.count
    }
}
