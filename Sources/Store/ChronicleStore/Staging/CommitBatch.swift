import Chronicle
import ChronicleLog

struct KeyName: Sendable, Hashable {
    var uid: UInt32
    var key: ExactText
}

/// A key to be stored, with the digest of the actions as dispatched.
struct StagedKey: Sendable {
    var name: KeyName
    var digest: UInt64
}

/// The content of the next commit: the data for the disk and the waiting answers.
struct CommitBatch<App: Feature>: Sendable
where App.Action: CanonicalCodable, App.Command: CanonicalCodable {
    typealias Answer = DispatchResult<App.Command>

    struct Waiting: Sendable {
        enum Kind: Sendable {
            case dispatch
            /// An undo or a part of an import: its refusals are counted with those of dispatches.
            case batch
            case order
        }

        var kind: Kind
        var reply: @Sendable (Result<Answer, StoreError>) -> Void
        var result: Result<Answer, StoreError>
    }

    struct KeyedAnswer: Sendable {
        var digest: UInt64
        var answer: Answer
    }

    var flush: Flush
    var answers: [Waiting] = []
    private(set) var keys: [KeyName: KeyedAnswer] = [:]
    private var scratch = CanonicalWriter()
    private var headroom: FreeSpace?

    var endCount = 0
    /// Whether the answers without records are final, so that they are not decided again after other machines' records.
    var isSettled = false
    var whenBegun: (@Sendable () -> Void)?

    let bytesMax: Int

    init(after head: Head, bytesMax: Int) {
        flush = Flush(after: head)
        self.bytesMax = bytesMax
    }

    var isFull: Bool { flush.recordCount >= Limits.flushRecordsMax || flush.byteCount >= bytesMax }

    // Mutating, like `counts` and `isNews`, because other accesses to a property of the store copy the whole value.
    mutating func answer() {
        // A span borrows the answers: a copy would retain everything that they refer to.
        let answers = answers.span
        for index in answers.indices { answers[index].reply(answers[index].result) }
    }

    /// Answers all calls with an error; an answer in doubt stays in doubt.
    func fail(with error: StoreError) {
        for waiting in answers {
            if case .failure(.inDoubt) = waiting.result {
                waiting.reply(waiting.result)
            } else {
                waiting.reply(.failure(error))
            }
        }
    }

    var counts: (dispatches: Int, refused: Int) {
        mutating get {
            var (dispatches, refused) = (0, 0)
            let answers = answers.span
            for index in answers.indices where answers[index].kind != .order {
                if answers[index].kind == .dispatch { dispatches += 1 }
                if case .failure(let error) = answers[index].result, error.isRefusal { refused += 1 }
            }
            return (dispatches, refused)
        }
    }

    var isNews: Bool { mutating get { flush.recordCount > 0 || flush.beginning != nil } }
    mutating func write(to log: any ActionLog) throws(ActionLogError) { try log.append(flush) }

    mutating func restart(after head: Head) {
        answers.empty(keepingAtMost: Flush.roomEntriesMax)
        dropStaged(after: head)
    }

    mutating func dropStaged(after head: Head) {
        flush.restart(after: head)
        if !keys.isEmpty { keys.removeAll(keepingCapacity: keys.capacity <= Flush.roomEntriesMax) }
        headroom = nil
        endCount = 0
        isSettled = false
        whenBegun = nil
    }

    mutating func digest(of actions: [App.Action]) -> UInt64 {
        for action in actions { scratch.message(1, action) }
        defer { scratch.bytes.empty(keepingAtMost: Flush.roomBytesMax) }
        return Checksum.of(scratch.bytes.span.bytes)
    }

    mutating func stage(_ header: RecordHeader, _ action: App.Action) { flush.stage(header) { action.encode(into: &$0) } }

    mutating func add(_ key: StagedKey, _ answer: Answer, at time: Int64) throws(StoreError) {
        let row = KeyRow(
            first: answer.sequences.isEmpty ? 0 : answer.sequences.lowerBound,
            last: answer.sequences.isEmpty ? 0 : answer.sequences.upperBound - 1,
            ids: answer.ids, digest: key.digest, epoch: answer.epoch, time: time)
        try StoreError.reading { () throws(ActionLogError) in try flush.stage(row, key: key.name.key.text, of: key.name.uid) }
        keys[key.name] = KeyedAnswer(digest: key.digest, answer: answer)
    }

    mutating func checkRoom(in log: any ActionLog, freeBytesMin: Int) throws(StoreError) {
        if headroom == nil { headroom = log.headroom() }
        if let refusal = headroom?.refusal(freeBytesMin: freeBytesMin) { throw StoreError(refusal) }
    }
}

struct Batch<App: Feature> {
    enum Displaced {
        /// A later command displaced or cancelled this command.
        case displaced(OpenCommand<App.Command>, CommandEnd)
        /// Requested too deep in a chain of commands, or above the rate limit.
        case parked(OpenCommand<App.Command>)
    }

    private(set) var sequences: Range<UInt64>
    private(set) var ids: [UInt64] = []
    var existing: [UInt64] = []
    var commands: [App.Command] = []
    /// State elements that its actions examined.
    var cost = 0
    var recordsMax = Limits.batchRecordsMax
    var followUpCount = 0
    var displaced: [Displaced] = []
    /// Whether the records being staged report a parked command.
    var tellsParked = false
    private var nextIndex = 0

    init(first: UInt64) { sequences = first..<first }

    var count: Int { sequences.count }

    /// The commands that reach the runner: a later one displaces an earlier one with the same `cancelID`.
    var standingCommands: [App.Command] {
        var later: Set<String> = []
        return commands.reversed().filter { command in
            !command.isPresentational && (command.policy.cancelID.map { later.insert($0).inserted } ?? true)
        }.reversed()
    }

    mutating func note(_ created: [UInt64]) {
        sequences = sequences.lowerBound..<sequences.upperBound + 1
        if !created.isEmpty { ids += created }
    }

    mutating func nextDisplaced() -> Displaced? {
        guard nextIndex < displaced.count else { return nil }
        defer { nextIndex += 1 }
        return displaced[nextIndex]
    }
}

/// A cache of the latest steps and their uids: continuing one of them does not read the log.
struct StepOwnerCache: Sendable {
    private var slots: [(step: UInt64, origin: UInt32)] = []

    mutating func note(_ step: UInt64, of origin: UInt32) {
        if slots.isEmpty { slots = Array(repeating: (0, 0), count: Limits.recentStepsMax) }
        slots[Self.slot(of: step)] = (step, origin)
    }

    /// Whether the cache knows this as a step of the uid; if not, the log must be read.
    func contains(_ step: UInt64, of origin: UInt32) -> Bool {
        !slots.isEmpty && step > 0 && slots[Self.slot(of: step)] == (step, origin)
    }

    /// Clears the cache, because sequences will be assigned again.
    mutating func forget() { slots = [] }

    private static func slot(of step: UInt64) -> Int { Int(step % UInt64(Limits.recentStepsMax)) }
}
