import AppFeature
import Reducing
import StoreRuntime
import TimeTravel
import TodoAPI
import VarlinkNIO

extension TodoService {
    /// Bytes of an answer to a call without `more`.
    static let answerBytesMax = 1 << 20
    /// Bytes of a reply that others follow, roughly; one that holds a single element may be larger.
    static let pageBytesMax = 256 << 10

    func getState(_ input: GetStateMethod.Input, _ reply: ReplyHandle) {
        let more = reply.more
        answer(reply) { [self, store] stream in
            let scope = try Self.index(of: input.scope)
            let selection = try ListSelection(input)
            if let epoch = input.epoch, epoch != store.present.epoch { throw APIError.epochChanged(store.present.epoch) }
            if let sequence = input.minimumSequence { _ = try await store.present(atLeast: sequence) }
            let sight = try await sight(at: input.at)
            if let selection { return try await send(selection, of: sight, stream, more: more) }
            let pages = StatePages<App>(of: sight.state, scope: scope)
            guard more else {
                let state = try await store.queries.admit(.short) { queries throws(StoreError) in
                    try await Self.whole(pages, queries)
                }
                return stream.end(GetStateMethod.Output(sight, state))
            }
            var page = try await next(pages)
            while page.rest.hasMore {
                let rest = page.rest
                // Made while the one before is written.
                async let following = next(rest)
                try await stream.send(GetStateMethod.Output(sight, page.state))
                page = try await following
            }
            stream.end(GetStateMethod.Output(sight, page.state))
        }
    }

    // Admitted for as long as it takes to send it: what somebody wrote is evaluated for every page.
    private func send(_ selection: ListSelection, of sight: Sight, _ stream: ReplyStream, more: Bool) async throws {
        let outcome: Result<Void, any Error> = try await store.queries.admit(selection.length) { queries in
            do {
                let pages = try await selection.pages(of: sight.state, queries)
                try await Self.send(pages, of: sight, stream, more: more, queries)
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        try outcome.get()
    }

    private static func send(
        _ pages: SelectedPages, of sight: Sight, _ stream: ReplyStream, more: Bool, _ queries: isolated Queries
    ) async throws {
        var pages = pages
        var state = try await pages.next(queries) ?? .record([])
        var bytes = state.approximateBytes
        while let page = try await pages.next(queries) {
            if more {
                try await stream.send(GetStateMethod.Output(sight, state, count: pages.count))
                state = page
            } else {
                bytes += page.approximateBytes
                guard bytes <= answerBytesMax else { throw StoreError.answerTooLarge }
                state.merge(page)
            }
        }
        stream.end(GetStateMethod.Output(sight, state, count: pages.count))
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
            guard bytes <= answerBytesMax else { throw .answerTooLarge }
            state.merge(page)
            try await queries.breathe()
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
