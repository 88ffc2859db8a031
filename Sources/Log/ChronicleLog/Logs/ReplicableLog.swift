import ChronicleValues

/// The position of a machine's copy of a shared log.
public struct ReplicaPlace: Sendable, Equatable {
    /// The name of the shared log.
    public var name: String
    /// Number of batches that the copy has applied; the next batch has the next number.
    public var number: UInt64
    /// The id of the last of them; before the first, that of the founding.
    public var batch: [UInt8]
    /// The number of the last batch that redacted records; 0: none did.
    public var redaction: UInt64 = 0
    /// A unique id of this copy, independent of the machine's name; 0: none yet.
    public var copyID: UInt64 = 0

    public init(name: String, number: UInt64 = 0, batch: [UInt8] = []) {
        self.name = name
        self.number = number
        self.batch = batch
    }
}

extension ReplicaPlace: RowCoding {
    public init() { self.init(name: "") }

    public mutating func code<Coder: RowCoder>(_ fields: inout Coder) throws(Coder.Failure) {
        try fields.field(1, &name)
        try fields.field(2, &number)
        try fields.field(3, &batch)
        try fields.field(4, &redaction)
        try fields.field(5, &copyID)
    }
}

/// A log that can be a machine's copy of a shared log.
public protocol ReplicableLog: ActionLog {
    /// The position as a copy; `nil` for a log that is not shared.
    var place: ReplicaPlace? { get }

    /// Commits a flush as `append` does, but calls the closure after all checks and writes and before the commit; if it throws,
    /// nothing is committed.
    ///
    /// Throws what `append` and the closure throw.
    func append(_ flush: Flush, once isSettled: () throws(ActionLogError) -> Void) throws(ActionLogError)

    /// Replaces payloads as `redact` does, but calls the closure before the commit.
    ///
    /// - Parameter place: the position as a copy after that; `nil` leaves it unchanged.
    func redact(
        _ payloads: [(sequence: UInt64, payload: [UInt8])], at place: ReplicaPlace?,
        once isSettled: () throws(ActionLogError) -> Void
    ) throws(ActionLogError)

    /// Becomes an empty copy of another log, or an unshared log if the place is `nil`.
    ///
    /// Throws `contradiction` if it would be the copy of another log and is not empty.
    func become(_ place: ReplicaPlace?, storeID: String, epoch: UInt64) throws(ActionLogError)
}

extension ReplicableLog {
    public func redact(_ payloads: [(sequence: UInt64, payload: [UInt8])]) throws(ActionLogError) {
        try redact(payloads, at: nil) { () throws(ActionLogError) in }
    }
}

/// A change by other machines that this copy has applied.
public enum ReplicationEvent: Sendable {
    case appended(Flush)
    /// Records from this one on were redacted.
    case redacted(from: UInt64)
}

/// A log that other machines append to as well.
///
/// An append throws `othersFirst` if another append came first: nothing of the flush is or will be written, and it must be
/// decided again after `follow` has applied the changes. It also throws `unavailable` if nothing can be appended now, and
/// `inDoubt`.
public protocol SharedActionLog: ActionLog {
    var flushBytesMax: Int { get }

    /// Whether this machine runs the commands; only then are operations of its runner accepted.
    var isLeading: Bool { get }

    /// The deadline of an operation that begins now, in nanoseconds of the monotonic clock; at least one attempt is made even
    /// after it.
    var deadlineFromNow: UInt64 { get }

    func append(_ flush: Flush, until deadline: UInt64) throws(ActionLogError)

    /// Applies some changes of other machines to this copy and returns them; `nil` if this copy is up to date.
    ///
    /// Called on the thread of the appends. Throws what `append` throws.
    func follow(until deadline: UInt64) throws(ActionLogError) -> ReplicationEvent?

    /// Waits briefly on the thread of the appends before applied changes are read again; reading failed because no reader slot
    /// was free.
    func waitForReaders()

    /// Whether an append with a key of a uid is in doubt.
    func isInDoubt(_ key: String, of uid: UInt32) -> Bool

    /// Confirms that this copy is up to date; throws `othersFirst` if it is not.
    func readIndex(until deadline: UInt64) throws(ActionLogError)
}

extension SharedActionLog {
    public func append(_ flush: Flush) throws(ActionLogError) { try append(flush, until: deadlineFromNow) }

    public func follow() throws(ActionLogError) -> ReplicationEvent? { try follow(until: deadlineFromNow) }
}
