import Chronicle
import ChronicleLog
import ChronicleStore
import Synchronization
import TimeTravel
import TodoAPI
import Varlink
import VarlinkNIO

extension ReplyHandle {
    func succeed(_ message: some Message) { succeed { message.write(into: &$0) } }
}

extension ReplyStream {
    func send(_ message: some Message) async throws { try await send(ReplyFrame { message.write(into: &$0) }) }

    /// Sends a reply to a subscriber and waits until it can take the next one.
    func deliver(_ message: some Message) async throws {
        try await send(message)
        try await drained(within: Subscribers.stalledSecondsMax)
    }

    func offer(_ message: some Message) { offer { message.write(into: &$0) } }

    func end(_ message: some Message) { end { message.write(into: &$0) } }
}

extension APIError {
    /// - Parameters:
    ///   - range: the available sequences, for queries of the past.
    ///   - base: the base of a compacted log, with the name of its archive.
    init(_ error: StoreError, in range: ClosedRange<UInt64>? = nil, after base: Base? = nil) {
        self =
            switch error {
            case .refused(let refusal, let action): .refused(refusal, action: action)
            case .factNotAllowed(let action): .factNotAllowed(action: action)
            case .stale(let current): .staleSequence(sequence: current)
            case .staleIndex(let current): .staleIndex(sequence: current)
            case .keyReused: .keyReused
            case .keyTooLong: .keyTooLong
            case .batchTooLarge: .batchTooLarge
            case .unknownOwnStep(let step): .unknownOwnStep(step)
            case .epochChanged(let current): .epochChanged(epoch: current)
            case .tooManyCommands: .tooManyCommands
            case .tooManyDelayedCommands(let max, let uid): .tooManyDelayedCommands(max: max, uid: uid)
            case .commandClosed(let id): .commandClosed(id: TodoAPI.CommandID(id))
            case .commandRunning(let id): .commandRunning(id: TodoAPI.CommandID(id))
            case .commandHeld(let id): .commandHeld(id: TodoAPI.CommandID(id))
            case .badArguments(let id, let mismatch):
                .badArguments(message: mismatch.message, id: TodoAPI.CommandID(id), path: mismatch.path)
            case .tooManyBookmarks(let max, let uid): .tooManyBookmarks(max: max, uid: uid)
            case .unknownBookmark(let name): .unknownBookmark(bookmark: name)
            case .badBookmark(let name, let why): .badBookmark(message: why, bookmark: name)
            case .futureSequence(let head):
                .futureSequence(first: range?.lowerBound ?? 0, last: range?.upperBound ?? head)
            case .pruned(let told):
                // After another compaction, its archive is not the requested one.
                .prunedSequence(
                    first: max(range?.lowerBound ?? told, told), last: max(range?.upperBound ?? told, told),
                    archive: base?.sequence == told ? base?.archive : nil)
            case .emptyRange(let from, let to): .emptyRange(from: from, to: to)
            case .badEdit(let index, let message): .badAlteration(message: message, alteration: index)
            case .refusedEdit(let index, let refusal): .refused(refusal, action: index)
            case .tooManySteps(let sequence): .tooManySteps(reached: sequence)
            case .answerTooLarge: .answerTooLarge
            case .compacted: .overtaken
            case .nothingToUndo: .nothingToUndo
            case .nothingToRedo: .nothingToRedo
            case .unknownStep(let step): .unknownStep(step: step)
            case .alreadyUndone(let step, let undoing): .notStanding(step: step, undoing: undoing)
            case .notYourStep(let step, let uid): .stepOfAnother(step: step, uid: uid)
            case .nothingLeft(let step): .nothingLeft(step: step)
            case .invariantBroken(let name, let expression, let changes):
                .invariantBroken(name: name, expression: expression, changes: changes.fitting ?? [])
            case .invariantTooCostly(let name): .invariantTooCostly(name: name, max: Limits.judgingStepsMax)
            case .requirementBroken(let expression): .requirementBroken(expression: expression)
            case .requirementTooLong:
                .badExpression(
                    message: "the requirement takes more than \(Limits.requirementStepsMax) steps to evaluate; loop over less",
                    column: 1)
            case .tooManyInvariants(let max): .tooManyInvariants(max: max)
            case .unknownInvariant(let name): .unknownInvariant(invariant: name)
            case .badFork(let message): .badFork(message: message)
            case .mergedMeanwhile(let again, let meanwhile, let isPruned):
                .mergedMeanwhile(again, in: meanwhile, isPruned: isPruned)
            case .withinChange(let before, let after): .withinChange(first: before + 1, before: before, after: after)
            case .noSuchPlace(let place): .unknownPlace(place: place)
            case .conflict(let conflicts): .changedSince(conflicts)
            case .locked(let lock):
                .locked(reason: lock.reason, origin: lock.origin, sequence: lock.record)
            case .stateFull(let bytes, let max): .stateFull(bytes: UInt64(bytes), max: max)
            case .storageFull(let message):
                .storageFull(
                    message: message.capitalizedFirst + ". Nothing was changed; reads continue.")
            case .damaged(let sequence, _), .undecodable(let sequence, _): .damagedRecord(sequence: sequence)
            case .outcomeUnknown:
                .outcomeUnknown(
                    message: "The disk failed; it is unknown whether this is in the log. Retry with the same key.")
            case .inDoubt:
                .outcomeUnknown(
                    message:
                        "The cluster did not answer in time; the outcome is known once it answers. Retry with the same "
                        + "key.")
            case .unavailable(let what): .unavailable(message: what)
            case .outdated, .busy: .storeBusy
            case .queryBusy: .queryBusy
            case .readOnly: .readOnly
            case .stopping: .stopping
            case .unreadable(let message): .unreadable(message: message)
            }
    }

    private static func tooManySteps(reached sequence: UInt64) -> APIError {
        .badExpression(
            message:
                "the expression takes more than \(HistoryLimits.expressionStepsMax) steps and was evaluated as far as record "
                + "\(sequence); narrow the range, nest fewer loops, or look through fewer long texts",
            column: 1)
    }
}

extension TodoAPI.CommandID {
    init(_ id: ChronicleLog.CommandID) { self.init(sequence: id.sequence, index: Int(id.index)) }
}

extension ReplyHandle {
    /// Runs long work, with progress reports if the caller accepts several replies; they are dropped while it does not read.
    func reporting<Answer: Sendable>(
        on stream: ReplyStream, _ message: @escaping @Sendable (UInt64) -> some Message,
        _ work: (@escaping @Sendable (UInt64) -> Void) async throws -> Answer
    ) async throws -> Answer {
        guard more else { return try await work { _ in } }
        let pace = ReportPace()
        return try await work { reached in if pace.isDue() { stream.offer(message(reached)) } }
    }
}

/// Limits reports to ten a second.
final class ReportPace: Sendable {
    private static let pause: Duration = .milliseconds(100)

    private let last = Mutex(ContinuousClock.now)

    /// Whether a report is due, which is then counted as sent.
    func isDue() -> Bool {
        last.withLock { last in
            let now = ContinuousClock.now
            guard last.duration(to: now) > Self.pause else { return false }
            last = now
            return true
        }
    }
}

enum AnswerLimits {
    /// Maximum size of a reply to a call without `more`, in bytes.
    static let bytesMax = 1 << 20
    /// Approximate bytes of a page; one with a single element may be larger.
    static let pageBytesMax = 256 << 10
}

/// Divides a list into pages with a maximum number of elements and bytes; each page has at least one element.
struct PageBuilder<Element> {
    static var elementsMax: Int { 256 }

    private var rest: ArraySlice<Element>
    private let bytes: (Element) -> Int

    /// - Parameter bytes: the approximate size of an element as JSON.
    init(_ elements: [Element], bytes: @escaping (Element) -> Int) {
        rest = elements[...]
        self.bytes = bytes
    }

    var hasMore: Bool { !rest.isEmpty }

    mutating func next(of countMax: Int = elementsMax) -> [Element] {
        var (count, held) = (0, 0)
        for element in rest {
            held += bytes(element)
            if count == countMax || count > 0 && held > AnswerLimits.pageBytesMax { break }
            count += 1
        }
        defer { rest.removeFirst(count) }
        return Array(rest.prefix(count))
    }
}

extension ReplyStream {
    /// - Throws: `answerTooLarge` for one reply above `AnswerLimits.bytesMax`.
    func end<Element>(
        list: [Element], inPages: Bool, bytes: @escaping (Element) -> Int, _ output: ([Element]) -> some Message
    ) async throws {
        guard inPages else { return try endWhole(output(list)) }
        var pager = PageBuilder(list, bytes: bytes)
        var page = pager.next()
        while pager.hasMore {
            try await send(output(page))
            page = pager.next()
        }
        end(output(page))
    }

    /// - Throws: above `AnswerLimits.bytesMax`, `answerTooLarge` or the given error.
    func endWhole(_ message: some Message, orThrow tooLarge: () -> APIError = { .answerTooLarge }) throws(APIError) {
        var bytes: [UInt8] = []
        message.write(into: &bytes)
        guard bytes.count <= AnswerLimits.bytesMax else { throw tooLarge() }
        end(bytes)
    }
}

extension [Change] {
    var fitting: [Change]? { fitting(beside: 0) }

    func fitting(beside others: Int) -> [Change]? {
        var bytes = others
        for change in self {
            bytes += change.byteCount
            if bytes > AnswerLimits.bytesMax { return nil }
        }
        return self
    }
}

/// Limits the memory of complete lists of changes that slow clients read page by page.
final class HeldAnswers: Sendable {
    /// Maximum estimated JSON bytes of one uid's lists, unless it is a single list; in memory they are three times as large.
    static let bytesOfAskerMax = 64 << 20

    private let bytes = Mutex<[UInt32: Int]>([:])

    /// Runs the delivery of a list of changes; throws `queryBusy` while too much of the uid's earlier lists is unread.
    func hold(_ changes: [Change], for uid: UInt32, _ body: () async throws -> Void) async throws {
        let count = changes.reduce(0) { $0 + $1.approximateBytes }
        let hasRoom = bytes.withLock { bytes in
            let held = bytes[uid, default: 0]
            guard held == 0 || held + count <= Self.bytesOfAskerMax else { return false }
            bytes[uid] = held + count
            return true
        }
        guard hasRoom else { throw APIError.queryBusy }
        defer {
            bytes.withLock { bytes in
                let left = bytes[uid, default: count] - count
                bytes[uid] = left == 0 ? nil : left
            }
        }
        try await body()
    }
}

final class Subscribers: Sendable {
    /// Seconds after which the connection of a subscriber that does not read a pending reply is closed.
    static let stalledSecondsMax = 5.0

    private let countMax: Int
    private let countOfUserMax: Int
    private let counts = Mutex<[UInt32: Int]>([:])

    /// Allows three quarters of the connections to subscribe, so that the others stay free for calls.
    init(connectionsMax: Int, connectionsPerUserMax: Int) {
        countMax = connectionsMax - connectionsMax / 4
        countOfUserMax = connectionsPerUserMax - connectionsPerUserMax / 4
    }

    var count: Int { counts.withLock { $0.values.reduce(0, +) } }

    func hold(for uid: UInt32, _ body: () async throws -> Void) async throws {
        try counts.withLock { counts throws(APIError) in
            guard counts[uid, default: 0] < countOfUserMax else { throw .tooManySubscribers(max: countOfUserMax, uid: uid) }
            guard counts.values.reduce(0, +) < countMax else { throw .tooManySubscribers(max: countMax) }
            counts[uid, default: 0] += 1
        }
        defer { counts.withLock { $0[uid] = $0[uid] == 1 ? nil : $0[uid, default: 1] - 1 } }
        try await body()
    }
}
