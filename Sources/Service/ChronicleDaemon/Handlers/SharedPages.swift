import Chronicle
import ChronicleStore
import Synchronization
import TimeTravel
import TodoAPI
import VarlinkNIO

/// Encodes the pages of a whole state once for all subscribers that start from it.
///
/// A subscriber holds only its position. While the state changes quickly, successive subscribers start from the same state, which is
/// never older than their call: a new state is taken only after a pause that grows with the cost of encoding. Users take turns in having
/// a page encoded.
final class SharedPages<App: DaemonApp>: Sendable {
    /// Maximum number of states read at the same time, of all scopes and views; beyond it, the readers of the least recently read
    /// state start again.
    private static var statesMax: Int { 4 }
    /// Encoded pages kept for a state; a slower subscriber has its page encoded again.
    private static var pagesMax: Int { 8 }
    /// Pause before the next state of a scope or view is taken, as a multiple of the time to encode the last one.
    private static var pauseFactor: UInt64 { 16 }
    /// Maximum time in nanoseconds that a subscriber waits for its state.
    private static var pauseMax: UInt64 { 500_000_000 }

    private struct Start: Sendable {
        let number: UInt64
        let position: CommittedState<App.State>
        let time = monotonicNanoseconds()
        var lastRead = monotonicNanoseconds()
        var nanoseconds: UInt64 = 0
        var readers = 0
        /// The position after each encoded page.
        var places: [StatePages<App>] = []
        /// The most recently encoded pages, by index modulo `pagesMax`.
        var pages: [Int: Page] = [:]

        func page(_ index: Int) -> Page? { pages[index % SharedPages.pagesMax].flatMap { $0.index == index ? $0 : nil } }

        func encode(_ index: Int, of watched: Watched, _ output: Audience<App>.Output) -> (Page, StatePages<App>) {
            var place = index == 0 ? StatePages<App>(of: position.state, watched) : places[index - 1]
            let value = place.next() ?? .record([])
            let item = StateItem<App>(
                epoch: position.epoch, sequence: position.sequence, time: position.time,
                content: .page(value, isLast: !place.hasMore), records: [], skipped: 0)
            return (Page(index: index, frame: ReplyFrame(output(item)), end: place.hasMore ? nil : position), place)
        }

        mutating func take(_ page: Page, _ place: StatePages<App>, nanoseconds: UInt64) {
            if places.count == page.index {
                self.nanoseconds += nanoseconds
                places.append(place)
            }
            pages[page.index % SharedPages.pagesMax] = page
        }
    }

    private struct Page: Sendable {
        let index: Int
        let frame: ReplyFrame
        let end: CommittedState<App.State>?
    }

    private struct Content: Sendable {
        var lastNumber: UInt64 = 0
        var starts: [Watched: [Start]] = [:]
        var due: [Watched: UInt64] = [:]

        func index(of number: UInt64, _ watched: Watched) -> Int? { starts[watched]?.firstIndex { $0.number == number } }

        /// Drops the least recently read state if the maximum is reached.
        mutating func makeRoom(for present: CommittedState<App.State>) {
            starts = starts.compactMapValues {
                let kept = $0.filter { $0.position.epoch == present.epoch && $0.position.redactions == present.redactions }
                return kept.isEmpty ? nil : kept
            }
            var lastRead: [UInt64: UInt64] = [:]
            for start in starts.values.joined() where start.position.sequence != present.sequence {
                lastRead[start.position.sequence] = max(start.lastRead, lastRead[start.position.sequence, default: 0])
            }
            guard lastRead.count >= SharedPages.statesMax, let idle = lastRead.min(by: { $0.value < $1.value }) else { return }
            starts = starts.mapValues { $0.filter { $0.position.sequence != idle.key } }
        }

        mutating func join(_ position: CommittedState<App.State>, _ watched: Watched) -> UInt64 {
            var starts = self.starts[watched] ?? []
            if starts.last?.position.epoch != position.epoch || starts.last?.position.sequence != position.sequence {
                lastNumber += 1
                starts.append(Start(number: lastNumber, position: position))
            }
            starts[starts.count - 1].readers += 1
            self.starts[watched] = starts
            return starts[starts.count - 1].number
        }
    }

    private let store: Store<App>
    private let content = Mutex(Content())
    private let encoding = FairMutex()

    init(of store: Store<App>) { self.store = store }

    /// Delivers a whole state and returns it.
    /// - Throws: `storeBusy` if the state was dropped after its first page was sent, and the errors of the stream.
    func deliver(
        _ watched: Watched, to stream: ReplyStream, of uid: UInt32, _ output: @escaping Audience<App>.Output
    ) async throws -> CommittedState<App.State> {
        while true {
            let number = try await enter(watched)
            defer { leave(watched, number) }
            var index = 0
            while true {
                try await stream.ready()
                guard let page = try await page(index, of: number, watched, for: uid, output) else {
                    guard index == 0 else { throw APIError.storeBusy }
                    break
                }
                try await stream.send(page.frame)
                if let end = page.end { return end }
                index += 1
            }
        }
    }

    private func enter(_ watched: Watched) async throws -> UInt64 {
        let arrival = store.present
        while true {
            let now = monotonicNanoseconds()
            let (number, due) = content.withLock { content -> (UInt64?, UInt64) in
                let due = content.due[watched, default: 0]
                if let newest = content.starts[watched]?.last?.position, newest.epoch == arrival.epoch,
                    !arrival.isNews(to: newest, in: watched.scope)
                {
                    return (content.join(newest, watched), due)
                }
                guard now >= due else { return (nil, due) }
                let present = store.present
                content.makeRoom(for: present)
                return (content.join(present, watched), due)
            }
            if let number { return number }
            try await Task.sleep(for: .nanoseconds(due - now))
        }
    }

    private func leave(_ watched: Watched, _ number: UInt64) {
        content.withLock { content in
            guard let index = content.index(of: number, watched) else { return }
            content.starts[watched]?[index].readers -= 1
            if content.starts[watched]?[index].readers == 0 { content.starts[watched]?.remove(at: index) }
            if content.starts[watched]?.isEmpty == true { content.starts[watched] = nil }
        }
    }

    private func page(
        _ index: Int, of number: UInt64, _ watched: Watched, for uid: UInt32, _ output: @escaping Audience<App>.Output
    ) async throws -> Page? {
        guard let start = kept(number, watched) else { return nil }
        if let page = start.page(index) { return page }
        let encoded = try await encoding.withLock(for: uid) { () async throws -> Page? in
            guard let start = kept(number, watched) else { return nil }
            if let page = start.page(index) { return page }
            let (page, place, nanoseconds) = try await store.queries.perform { _ throws(StoreError) in
                let begin = monotonicNanoseconds()
                let (page, place) = start.encode(index, of: watched, output)
                return (page, place, monotonicNanoseconds() - begin)
            }
            content.withLock { content in
                guard let at = content.index(of: number, watched) else { return }
                content.starts[watched]?[at].take(page, place, nanoseconds: nanoseconds)
                let due = start.time + min(Self.pauseFactor * (content.starts[watched]?[at].nanoseconds ?? 0), Self.pauseMax)
                content.due[watched] = max(due, content.due[watched, default: 0])
            }
            return page
        }
        guard let encoded else { throw CancellationError() }
        return encoded
    }

    private func kept(_ number: UInt64, _ watched: Watched) -> Start? {
        content.withLock { content in
            guard let index = content.index(of: number, watched) else { return nil }
            content.starts[watched]?[index].lastRead = monotonicNanoseconds()
            return content.starts[watched]?[index]
        }
    }
}
