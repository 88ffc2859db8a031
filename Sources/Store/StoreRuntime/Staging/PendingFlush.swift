import Records
import Reducing
import Values

/// A key of a uid.
struct KeyName: Sendable, Hashable {
    var uid: UInt32
    var key: ExactText
}

/// A key on its way into the log, with the digest of the actions as they were dispatched.
struct StagedKey: Sendable {
    var name: KeyName
    var digest: UInt64
}

/// All that the next commit brings: what goes to disk, and who is answered after it.
struct PendingFlush<App: Feature>: Sendable
where App.Action: CanonicalCodable, App.Command: CanonicalCodable {
    typealias Answer = Acknowledgement<App.Command>

    struct Waiting: Sendable {
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
    private var headroom: Headroom?

    /// How many of the answers are to orders about commands.
    var orderCount = 0
    /// How many ends of commands are staged.
    var endCount = 0
    /// Whether what is answered without anything to write was done for good, so that it is not decided anew on what others wrote.
    var isSettled = false
    /// What is to be done in line once an empty log has begun with a base, before anybody sees it.
    var whenBegun: (@Sendable () -> Void)?

    /// Bytes after which no further batch is taken.
    let bytesMax: Int

    init(after head: Head, bytesMax: Int) {
        flush = Flush(after: head)
        self.bytesMax = bytesMax
    }

    /// Whether no further batch is taken before a commit.
    var isFull: Bool { flush.recordCount >= Limits.flushRecordsMax || flush.byteCount >= bytesMax }

    /// Answers everybody, in the order in which they were accepted: all is on disk.
    func answer() {
        // Lent where they stand: a copy would hold on to all that an answer refers to.
        let answers = answers.span
        for index in answers.indices { answers[index].reply(answers[index].result) }
    }

    /// Gives everybody an error in place of an answer; but what is in doubt stays so: nobody can say that nothing was done.
    func fail(with error: StoreError) {
        for waiting in answers {
            if case .failure(.inDoubt) = waiting.result {
                waiting.reply(waiting.result)
            } else {
                waiting.reply(.failure(error))
            }
        }
    }

    mutating func restart(after head: Head) {
        answers.empty(keepingAtMost: Flush.roomEntriesMax)
        orderCount = 0
        dropStaged(after: head)
    }

    /// Drops what is to go to disk, and keeps who waits.
    mutating func dropStaged(after head: Head) {
        flush.restart(after: head)
        if !keys.isEmpty { keys.removeAll(keepingCapacity: keys.capacity <= Flush.roomEntriesMax) }
        headroom = nil
        endCount = 0
        isSettled = false
        whenBegun = nil
    }

    /// The digest of actions in the form in which they came.
    mutating func digest(of actions: [App.Action]) -> UInt64 {
        for action in actions { scratch.message(1, action) }
        defer { scratch.bytes.empty(keepingAtMost: Flush.roomBytesMax) }
        return Checksum.of(scratch.bytes.span.bytes)
    }

    mutating func stage(_ header: RecordHeader, _ action: App.Action) {
        flush.stage(header) { action.encode(into: &$0) }
    }

    mutating func add(_ key: StagedKey, _ answer: Answer, at time: Int64) throws(StoreError) {
        let row = KeyRow(
            first: answer.sequences.isEmpty ? 0 : answer.sequences.lowerBound,
            last: answer.sequences.isEmpty ? 0 : answer.sequences.upperBound - 1,
            ids: answer.ids, digest: key.digest, epoch: answer.epoch, time: time)
        try StoreError.reading { () throws(ActionLogError) in try flush.stage(row, key: key.name.key.text, of: key.name.uid) }
        keys[key.name] = KeyedAnswer(digest: key.digest, answer: answer)
    }

    /// Asks once per flush how much room the log has.
    mutating func checkRoom(in log: any ActionLog, freeBytesMin: Int) throws(StoreError) {
        if headroom == nil { headroom = log.headroom() }
        if let refusal = headroom?.refusal(freeBytesMin: freeBytesMin) { throw StoreError(refusal) }
    }
}
