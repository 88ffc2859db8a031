import Chronicle
import ChronicleStore
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
        _ body: @Sendable (isolated Queries) async throws(StoreError) -> Result
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
        let advance = { @Sendable (queries: isolated Queries) async throws(StoreError) -> Piece<Pieces> in
            var rest = pieces
            let state = try await rest.next(queries)
            return (state, rest)
        }
        // A piece of a long query may take as long as the whole.
        return try await length == .long ? store.queries.goOn(.long, advance) : store.queries.perform(.short, advance)
    }
}

struct StateAtPoint<App: DaemonApp>: Sendable {
    var epoch: UInt64
    var sequence: UInt64
    var state: App.State
    /// The time of a past state's record, and the number of records folded.
    var past: (time: Int64, folded: UInt64)?
}

extension DaemonService {
    func state(at point: TodoAPI.Point?) async throws -> StateAtPoint<App> {
        let present = store.present
        guard let moment = try point?.moment("at") else {
            return StateAtPoint(epoch: present.epoch, sequence: present.sequence, state: present.state)
        }
        let past = try await history.state(at: moment)
        return StateAtPoint(epoch: present.epoch, sequence: past.sequence, state: past.state, past: (past.time, past.folded))
    }
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

/// A state, or part of it, in pieces small enough to send.
protocol StatePieces: Sendable {
    /// Whether pieces are left; there is at least one.
    var hasMore: Bool { get }
    /// Number of elements of the selected list; `nil` for the whole state.
    var count: Int? { get }

    mutating func next(_ queries: isolated Queries) async throws(StoreError) -> Value
}

extension StatePieces {
    /// The remaining parts as one value, whose exact size is checked when it is written; throws `answerTooLarge` if far larger.
    func merged(_ queries: isolated Queries) async throws(StoreError) -> Value {
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

    mutating func next(_ queries: isolated Queries) async throws(StoreError) -> Value {
        next(elementsMax: Limits.statePageElementsMax) ?? .record([])
    }
}

extension Value {
    /// Adds a further page: lists grow, records are merged by name.
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
