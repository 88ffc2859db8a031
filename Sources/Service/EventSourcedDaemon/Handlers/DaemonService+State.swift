import Reducing
import StoreRuntime
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
            let pages = StatePages<App>(of: shown.state, scope: scope)
            guard more else {
                let state = try await store.queries.admit(.short) { queries throws(StoreError) in
                    try await Self.whole(pages, queries)
                }
                return stream.end(GetStateMethod.Output(shown, state))
            }
            var page = try await next(pages)
            while page.rest.hasMore {
                let rest = page.rest
                // Made while the one before is written.
                async let following = next(rest)
                try await stream.send(GetStateMethod.Output(shown, page.state))
                page = try await following
            }
            stream.end(GetStateMethod.Output(shown, page.state))
        }
    }

    // A place among the queries is taken while a page is made, never while it is sent: who does not read must not hold one.
    private func send(_ selection: ListSelection<App>, of shown: StateAtPoint<App>, _ stream: ReplyStream, more: Bool)
        async throws
    {
        let begun: Result<SelectedPage, any Error> = try await store.queries.admit(selection.length) { queries in
            do {
                let pages = try await selection.pages(of: shown, queries)
                var page = try await Self.next(pages, queries)
                if !more { try await Self.complete(&page, queries) }
                return .success(page)
            } catch {
                return .failure(error)
            }
        }
        var page = try begun.get()
        var state = page.state ?? .record([])
        while more {
            let rest = page.rest
            page = try await store.queries.perform(selection.length) { queries throws(StoreError) in
                try await Self.next(rest, queries)
            }
            guard let next = page.state else { break }
            try await stream.send(GetStateMethod.Output(shown, state, count: page.rest.count))
            state = next
        }
        stream.end(GetStateMethod.Output(shown, state, count: page.rest.count))
    }

    private typealias SelectedPage = (state: Value?, rest: SelectedPages)

    private static func next(
        _ pages: SelectedPages, _ queries: isolated Queries
    ) async throws(StoreError) -> SelectedPage {
        var rest = pages
        let state = try await rest.next(queries)
        return (state, rest)
    }

    private static func complete(_ page: inout SelectedPage, _ queries: isolated Queries) async throws(StoreError) {
        var whole = page.state ?? .record([])
        var bytes = whole.approximateBytes
        while let further = try await page.rest.next(queries) {
            bytes += further.approximateBytes
            guard bytes <= AnswerLimits.bytesMax else { throw .answerTooLarge }
            whole.merge(further)
        }
        page.state = whole
    }

    private func next(_ pages: StatePages<App>) async throws -> (state: Value, rest: StatePages<App>) {
        try await store.queries.perform { _ throws(StoreError) in
            var rest = pages
            return (state: rest.next() ?? .record([]), rest: rest)
        }
    }

    private static func whole(_ pages: StatePages<App>, _ queries: isolated Queries) async throws(StoreError) -> Value {
        var pages = pages
        var state = pages.next() ?? .record([])
        var bytes = state.approximateBytes
        while let page = pages.next() {
            bytes += page.approximateBytes
            guard bytes <= AnswerLimits.bytesMax else { throw .answerTooLarge }
            state.merge(page)
            try await queries.yieldIfNeeded()
        }
        return state
    }
}

extension Value {
    /// Takes in the elements of a further page: lists grow, records are merged by name.
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

extension DaemonService {
    func view(_ input: ViewMethod.Input, from peer: Peer, _ reply: ReplyHandle) {
        answer(reply) { [self, store] stream in
            let shown = try await state(at: input.at)
            let view = try await store.queries.admit(.short) { _ throws(StoreError) in App.view(of: shown.state)[input.feature] }
            guard let view else { throw APIError.unknownFeature(input.feature.asName, known: scopes.features) }
            guard view.approximateBytes <= AnswerLimits.bytesMax else { throw APIError.answerTooLarge }
            stream.end(ViewMethod.Output(shown, view))
        }
    }
}

/// A state to be shown: the newest one, or that of a moment which was asked for.
struct StateAtPoint<App: DaemonApp>: Sendable {
    var epoch: UInt64
    var sequence: UInt64
    var state: App.State
    /// The time of its record and how many records were folded to know it; not of the newest state.
    var past: (time: Int64, folded: UInt64)?
}

extension DaemonService {
    /// What is to be seen at a moment; without one, now.
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
