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
            guard let selection else {
                return try await send(.short, of: shown, on: stream, inPages: more) { _ in
                    StatePages<App>(of: shown.state, scope: scope)
                } output: {
                    GetStateMethod.Output(shown, $0.state)
                }
            }
            try await send(selection.length, of: shown, on: stream, inPages: more) { queries in
                try await selection.pages(of: shown, queries)
            } output: {
                GetStateMethod.Output(shown, $0.state, count: $0.rest.count)
            }
        }
    }

    func view(_ input: ViewMethod.Input, from peer: Peer, _ reply: ReplyHandle) {
        let more = reply.more
        answer(reply) { [self] stream in
            let (shown, name) = (try await state(at: input.at), input.feature)
            try await send(.short, of: shown, on: stream, inPages: more, orThrow: .viewTooLarge(of: name.asName)) { _ in
                guard let parts = App.viewParts(of: shown.state, child: name) else {
                    throw APIError.unknownFeature(name.asName, known: self.scopes.features)
                }
                return StatePages<App>(parts)
            } output: {
                ViewMethod.Output(shown, $0.state)
            }
        }
    }

    private typealias Piece<Pieces> = (state: Value, rest: Pieces)

    /// Sends a state as a whole, or piece by piece.
    ///
    /// A query slot is held while a piece is created, not while it is sent, so a slow reader holds none.
    private func send<Pieces: StatePieces>(
        _ length: QueryThread.Length, of shown: StateAtPoint<App>, on stream: ReplyStream, inPages: Bool,
        orThrow tooLarge: APIError = .answerTooLarge,
        _ pieces: @escaping @Sendable (isolated QueryExecutor) async throws -> Pieces,
        output: (Piece<Pieces>) -> some Message
    ) async throws {
        let begin = { @Sendable (queries: isolated QueryExecutor) async throws(StoreError) -> Result<Piece<Pieces>, any Error> in
            do {
                var rest = try await pieces(queries)
                let state = inPages ? try await rest.next(queries) : try await rest.merged(queries)
                return .success((state, rest))
            } catch {
                return .failure(error)
            }
        }
        // A past state was admitted before; its pages and those of the present wait, and are never refused.
        let waits = shown.past != nil || inPages && length == .short
        let begun = try await waits ? store.queries.goOn(length, begin) : store.queries.admit(length, begin)
        if case .failure(StoreError.answerTooLarge) = begun { throw tooLarge }
        var piece = try begun.get()
        guard inPages else { return try stream.endWhole(output(piece), orThrow: tooLarge) }
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
    private let path: String
    private let id: Int64?
    private let condition: Expression?
    private let limit: Int

    /// Parses it from a call; `nil` if the whole scope is requested.
    /// - Throws: `badExpression`, and `invalidParameter` if the scope is no list, or an id is combined with other parameters.
    init?(_ input: GetStateMethod.Input) throws(APIError) {
        guard input.id != nil || input.where != nil || input.limit != nil else { return nil }
        let names = (input.scope ?? "").split(separator: ".")
        guard let path = input.scope, case .list(let element)? = names.reduce(App.shape as Shape?, { $0?[String($1)] }) else {
            throw .invalidParameter("scope")
        }
        if input.id != nil, input.where != nil || input.limit != nil { throw .invalidParameter("id") }
        (self.path, id, limit) = (path, input.id, input.limit.map { Int(clamping: $0) } ?? .max)
        condition = try input.where.map { text throws(APIError) in try Expression(sent: text, of: element, on: .element) }
    }

    var length: QueryThread.Length { condition == nil ? .short : .long }

    func pages(of shown: StateAtPoint<App>, _ queries: isolated QueryExecutor) async throws -> SelectedPages {
        guard let list = App.lists(of: shown.state).first(where: { $0.path == path }) else {
            throw APIError.invalidParameter("scope")
        }
        guard let id else { return SelectedPages(list: list, condition: condition, limit: limit, at: shown.sequence) }
        guard let element = try await element(id, of: list, queries) else { throw APIError.unknownID(id: id, scope: path) }
        return SelectedPages(list: list, element: element)
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
