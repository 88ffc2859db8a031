import Chronicle
import ChronicleStore
import Expressions
import TimeTravel
import TodoAPI
import VarlinkNIO

extension DaemonService {
    func getState(_ input: GetStateMethod.Input, from peer: Peer, _ reply: ReplyHandle) {
        let more = reply.more
        answer(reply) { [self, store] stream in
            let scope = try scopes.index(of: input.scope)
            let selection = try ListSelection<App>(input)
            if let epoch = input.epoch, epoch != store.present.epoch { throw APIError.epochChanged(epoch: store.present.epoch) }
            if let sequence = input.minimumSequence { _ = try await store.present(atLeast: sequence) }
            let shown = try await state(at: input.at)
            if let selection { return try await send(selection, of: shown, stream, more: more) }
            let pieces = StatePages<App>(of: shown.state, scope: scope)
            guard more else {
                let state = try await query(.short, of: shown) { queries throws(StoreError) in try await pieces.merged(queries) }
                return try stream.endWhole(GetStateMethod.Output(shown, state))
            }
            try await send(next(pieces, .short), .short, stream) { GetStateMethod.Output(shown, $0.state) }
        }
    }

    func view(_ input: ViewMethod.Input, from peer: Peer, _ reply: ReplyHandle) {
        let more = reply.more
        answer(reply) { [self, store] stream in
            let shown = try await state(at: input.at)
            let name = input.feature
            let pieces = try await query(.short, of: shown) { _ throws(StoreError) in
                App.viewParts(of: shown.state, child: name).map { StatePages<App>($0) }
            }
            guard let pieces else { throw APIError.unknownFeature(name.asName, known: scopes.features) }
            guard more else {
                let view: Value
                do {
                    view = try await store.queries.goOn(.short) { queries throws(StoreError) in try await pieces.merged(queries) }
                } catch StoreError.answerTooLarge {
                    throw APIError.viewTooLarge(of: name.asName)
                }
                return try stream.endWhole(ViewMethod.Output(shown, view)) { .viewTooLarge(of: name.asName) }
            }
            try await send(next(pieces, .short), .short, stream) { ViewMethod.Output(shown, $0.state) }
        }
    }

    // A query slot is held while a part is created, not while it is sent, so a slow reader holds none.
    private func send(_ selection: ListSelection<App>, of shown: StateAtPoint<App>, _ stream: ReplyStream, more: Bool)
        async throws
    {
        let begun: Result<Piece<SelectedPages>, any Error> = try await query(selection.length, of: shown) { queries in
            do {
                var pieces = try await selection.pages(of: shown, queries)
                let state = more ? try await pieces.next(queries) : try await pieces.merged(queries)
                return .success((state, pieces))
            } catch {
                return .failure(error)
            }
        }
        let first = try begun.get()
        guard more else { return try stream.endWhole(GetStateMethod.Output(shown, first.state, count: first.rest.count)) }
        try await send(first, selection.length, stream) { GetStateMethod.Output(shown, $0.state, count: $0.rest.count) }
    }

    /// Queries a shown state; a past state was admitted before, so the query waits and is never refused.
    private func query<Result: Sendable>(
        _ length: QueryThread.Length, of shown: StateAtPoint<App>,
        _ body: @Sendable (isolated QueryExecutor) async throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        try await shown.past == nil ? store.queries.admit(length, body) : store.queries.goOn(length, body)
    }

    private typealias Piece<Pieces> = (state: Value, rest: Pieces)

    private func send<Pieces: StatePieces>(
        _ first: Piece<Pieces>, _ length: QueryThread.Length, _ stream: ReplyStream, _ output: (Piece<Pieces>) -> some Message
    ) async throws {
        var piece = first
        while piece.rest.hasMore {
            let rest = piece.rest
            // Created while the previous one is written.
            async let following = next(rest, length)
            try await stream.deliver(output(piece))
            piece = try await following
        }
        stream.end(output(piece))
    }

    private func next<Pieces: StatePieces>(_ pieces: Pieces, _ length: QueryThread.Length) async throws -> Piece<Pieces> {
        let advance = { @Sendable (queries: isolated QueryExecutor) async throws(StoreError) -> Piece<Pieces> in
            var rest = pieces
            let state = try await rest.next(queries)
            return (state, rest)
        }
        // A piece of a long query may take as long as the whole.
        return try await length == .long ? store.queries.goOn(.long, advance) : store.queries.perform(.short, advance)
    }

    func state(at point: TodoAPI.Point?) async throws -> StateAtPoint<App> {
        let present = store.present
        guard let moment = try point?.moment("at") else {
            return StateAtPoint(epoch: present.epoch, sequence: present.sequence, state: present.state)
        }
        let past = try await history.state(at: moment)
        return StateAtPoint(epoch: present.epoch, sequence: past.sequence, state: past.state, past: (past.time, past.folded))
    }
}

struct StateAtPoint<App: DaemonApp>: Sendable {
    var epoch: UInt64
    var sequence: UInt64
    var state: App.State
    var past: (time: Int64, folded: UInt64)?
}

extension GetStateMethod.Output {
    init(_ shown: StateAtPoint<some DaemonApp>, _ state: Value, count: Int? = nil) {
        self.init(
            epoch: shown.epoch, sequence: shown.sequence, state: state, time: shown.past?.time, folded: shown.past?.folded,
            count: count.map { UInt64($0) })
    }
}

extension ViewMethod.Output {
    init(_ shown: StateAtPoint<some DaemonApp>, _ view: Value) {
        self.init(epoch: shown.epoch, sequence: shown.sequence, view: view, time: shown.past?.time, folded: shown.past?.folded)
    }
}

protocol StatePieces: Sendable {
    /// Whether pieces are left; there is at least one.
    var hasMore: Bool { get }
    /// Number of elements of the selected list; `nil` for the whole state.
    var count: Int? { get }

    mutating func next(_ queries: isolated QueryExecutor) async throws(StoreError) -> Value
}

extension StatePieces {
    /// The remaining parts as one value, whose exact size is checked when it is written; throws `answerTooLarge` if far larger.
    func merged(_ queries: isolated QueryExecutor) async throws(StoreError) -> Value {
        var rest = self
        var whole = try await rest.next(queries)
        var bytes = whole.approximateBytes
        while rest.hasMore {
            let piece = try await rest.next(queries)
            bytes += piece.approximateBytes
            guard bytes <= 2 * AnswerLimits.bytesMax else { throw .answerTooLarge }
            whole.merge(piece)
            try await queries.yieldIfNeeded()
        }
        return whole
    }
}

extension StatePages: StatePieces {
    var count: Int? { nil }

    mutating func next(_ queries: isolated QueryExecutor) async throws(StoreError) -> Value {
        next(elementsMax: Limits.statePageElementsMax) ?? .record([])
    }
}

extension Value {
    fileprivate mutating func merge(_ page: Value) {
        switch (self, page) {
        case (.list(var elements), .list(let more)):
            self = .null
            elements += more
            self = .list(elements)
        case (.record(var fields), .record(let more)):
            self = .null
            for field in more {
                if let index = fields.firstIndex(where: { $0.name.hasSameBytes(as: field.name) }) {
                    fields[index].value.merge(field.value)
                }
            }
            self = .record(fields)
        default: break
        }
    }
}

struct ListSelection<App: DaemonApp>: Sendable {
    private enum Choice: Sendable {
        case id(Int64)
        case all(where: Expression?, limit: Int)
    }

    private let path: String
    private let choice: Choice

    /// Parses it from a call; `nil` if the whole scope is requested.
    /// - Throws: `badExpression`, and `invalidParameter` if the scope is no list, or an id is combined with other parameters.
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

    var length: QueryThread.Length {
        if case .all(.some, _) = choice { return .long }
        return .short
    }

    func pages(of shown: StateAtPoint<App>, _ queries: isolated QueryExecutor) async throws -> SelectedPages {
        guard let list = App.lists(of: shown.state).first(where: { $0.path == path }) else {
            throw APIError.invalidParameter("scope")
        }
        switch choice {
        case .all(let condition, let limit):
            return SelectedPages(list: list, condition: condition, limit: limit, at: shown.sequence)
        case .id(let id):
            guard let element = try await element(id, of: list, queries) else { throw APIError.unknownID(id: id, scope: path) }
            return SelectedPages(list: list, element: element)
        }
    }

    private func element(_ id: Int64, of list: ListView, _ queries: isolated QueryExecutor) async throws(StoreError) -> Value? {
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

/// The selected elements of a list, in pieces small enough to send: first an empty one, then page by page.
struct SelectedPages: StatePieces {
    let count: Int?
    private let list: ListView
    private var filter: ElementFilter?
    private var position = 0
    private var left: Int
    private var begun = false
    private var found: Value?

    init(
        list: ListView, condition: Expression?, limit: Int, at sequence: UInt64, stepsMax: Int = HistoryLimits.expressionStepsMax
    ) {
        (self.list, count, left) = (list, list.count, limit)
        filter = condition.map { ElementFilter($0, of: list, at: sequence, stepsMax: stepsMax) }
    }

    init(list: ListView, element: Value) { (self.list, count, left, found) = (list, list.count, 0, element) }

    var hasMore: Bool { !begun || left > 0 && position < list.count }

    /// The next part; the last one may be empty.
    /// - Throws: `tooManySteps` if the condition has taken more than `HistoryLimits.expressionStepsMax` for all elements.
    mutating func next(_ queries: isolated QueryExecutor) async throws(StoreError) -> Value {
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

    private mutating func wanted(_ queries: isolated QueryExecutor) async throws(StoreError) -> Range<Int> {
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

struct ElementFilter {
    enum Next {
        case found(Int)
        /// Yield before continuing at this index.
        case pause(Int)
    }

    /// Steps of the condition between checks of the clock, so that they cost less than the condition.
    private static let stepsPerLook = 1_024
    private static let stepsPerPage = 4 * stepsPerLook
    private var condition: ElementCondition
    private var page = 0..<0
    // The indices of the page whose elements passed the prefilter, and the next one to evaluate.
    private var sifted: [Int] = []
    private var next = 0
    private var asked: Int?
    private let sequence: UInt64
    private let stepsMax: Int
    private var stepsSeen = 0

    init(_ condition: Expression, of list: ListView, at sequence: UInt64, stepsMax: Int) {
        self.condition = condition.condition(onElementsOf: list)
        (self.sequence, self.stepsMax) = (sequence, stepsMax)
    }

    /// - Throws: `tooManySteps` if the condition has taken more than its steps for all elements so far.
    mutating func next(in places: Range<Int>, _ memory: ListMemory) throws(StoreError) -> Next? {
        var place = places.lowerBound
        while place < places.upperBound {
            if !page.contains(place) { sift(place..<min(place + Limits.pageRecordsMax, places.upperBound), memory) }
            while next < sifted.count, sifted[next] < place { next += 1 }
            place = next < sifted.count ? sifted[next] : page.upperBound
            let holds = next < sifted.count ? ask(place) : false
            guard condition.steps < stepsMax else { throw .tooManySteps(reached: sequence) }
            if holds == true { return .found(place) }
            if holds == false, next < sifted.count { place += 1 }
            if isLongSinceLook(), place < places.upperBound { return .pause(place) }
        }
        return nil
    }

    // Prefilters a page, as far as that takes a bounded time.
    private mutating func sift(_ places: Range<Int>, _ memory: ListMemory) {
        (sifted, next) = ([], 0)
        page = places.prefix(condition.sift(places, &sifted, stepsMax: Self.stepsPerPage, memory: memory))
    }

    private mutating func ask(_ place: Int) -> Bool? {
        if asked != place { condition.begin(at: place) }
        let holds = condition.advance(steps: Self.stepsPerLook)
        asked = holds == nil ? place : nil
        return holds
    }

    private mutating func isLongSinceLook() -> Bool {
        guard condition.steps - stepsSeen >= Self.stepsPerLook else { return false }
        stepsSeen = condition.steps
        return true
    }
}
