public import ChronicleValues

/// How far a copy of a log is that several machines share: the last batch that it took in.
public struct ReplicaPlace: Sendable, Equatable {
    /// Names the shared log.
    public var name: String
    /// How many batches the copy has taken in; the next has the number behind it.
    public var number: UInt64
    /// The id of the last of them; empty before the first.
    public var batch: [UInt8]
    /// The number of the last that took something out of records, which those before it still have; 0: none did.
    public var redaction: UInt64 = 0
    /// Tells this copy from all others, whatever their machines are called; 0: it has no id yet.
    public var copyID: UInt64 = 0

    public init(name: String, number: UInt64 = 0, batch: [UInt8] = []) {
        self.name = name
        self.number = number
        self.batch = batch
    }
}

extension ReplicaPlace: CanonicalCodable {
    /// Fields: 1 name, 2 number, 3 batch, 4 redaction, 5 copy id.
    public func encode(into writer: inout CanonicalWriter) {
        writer.field(1, name)
        writer.field(2, number)
        writer.field(3, batch)
        writer.field(4, redaction)
        writer.field(5, copyID)
    }

    public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        self.init(name: "")
        while let number = try cursor.nextField(in: bytes) {
            switch number {
            case 1: name = try cursor.text(bytes)
            case 2: self.number = try cursor.uint(bytes)
            case 3: batch = try cursor.bytes(bytes)
            case 4: redaction = try cursor.uint(bytes)
            case 5: copyID = try cursor.uint(bytes)
            default: throw cursor.unknown()
            }
        }
    }
}

/// A log that can be one machine's copy of a log that several share.
public protocol ReplicableLog: ActionLog {
    /// How far it is as a copy; `nil`: it is a log of its own.
    var place: ReplicaPlace? { get }

    /// Commits a flush as `append` does, and makes sure first that it may be: once everything is checked and written, and before the
    /// commit, the closure is called, and nothing is committed if it throws.
    ///
    /// Throws what `append` and the closure throw.
    func append(_ flush: Flush, once isSettled: () throws(ActionLogError) -> Void) throws(ActionLogError)

    /// Puts other payloads in the place of those that records have, as `redact` does, once that may be.
    ///
    /// - Parameter place: how far it is as a copy with that; `nil`: that stays as it is.
    func redact(
        _ payloads: [(sequence: UInt64, payload: [UInt8])], at place: ReplicaPlace?,
        once isSettled: () throws(ActionLogError) -> Void
    ) throws(ActionLogError)

    /// Becomes an empty copy of another log, or, without a place, a log of its own again.
    ///
    /// Throws `contradiction` when it is to be the copy of another log, and is not empty.
    func become(_ place: ReplicaPlace?, storeID: String, epoch: UInt64) throws(ActionLogError)
}

extension ReplicableLog {
    /// Puts other payloads in the place of those that records have, all of them or none.
    public func redact(_ payloads: [(sequence: UInt64, payload: [UInt8])]) throws(ActionLogError) {
        try redact(payloads, at: nil) { () throws(ActionLogError) in }
    }
}

/// What others did to a shared log, and this copy has taken in.
public enum SharedNews: Sendable {
    case appended(Flush)
    /// They took something out of records, of which this is the first.
    case redacted(from: UInt64)
}

/// A log to which others append, too.
///
/// An append throws `othersFirst` when something else was appended since this copy was level: nothing of the flush was written then, or
/// will be, and it is to be decided anew once `follow` has brought what came.
/// Besides it throws `unavailable` when nothing can be appended now, and `inDoubt`.
public protocol SharedActionLog: ActionLog {
    /// The most bytes that a flush may have.
    var flushBytesMax: Int { get }

    /// Whether this machine runs the commands: only then what its runner says is taken.
    var isLeading: Bool { get }

    /// Until when something is tried that begins now, in nanoseconds of the monotonic clock.
    ///
    /// What is asked for once that is over is tried once all the same.
    var deadlineFromNow: UInt64 { get }

    /// Appends a flush, or gives up at a deadline.
    func append(_ flush: Flush, until deadline: UInt64) throws(ActionLogError)

    /// Takes some of what others did into this copy, and gives it; `nil` when there is nothing more.
    ///
    /// Comes from the thread of the appends. Throws what `append` throws.
    func follow(until deadline: UInt64) throws(ActionLogError) -> SharedNews?

    /// Waits a moment, on the thread of the appends, before what came of others is read in this copy again: it could not be for want of
    /// readers.
    func waitForReaders()

    /// Whether something under a key of a uid was appended of which it is not known yet if it will stand.
    func isInDoubt(_ key: String, of uid: UInt32) -> Bool

    /// Finds out whether this copy is level with the log of all; throws `othersFirst` if it is not.
    func confirm(until deadline: UInt64) throws(ActionLogError)
}

extension SharedActionLog {
    /// Appends a flush, which is tried for as long as anything is.
    public func append(_ flush: Flush) throws(ActionLogError) { try append(flush, until: deadlineFromNow) }

    /// Takes some of what others did into this copy, which is tried for as long as anything is.
    public func follow() throws(ActionLogError) -> SharedNews? { try follow(until: deadlineFromNow) }
}
