import ChronicleValues

/// The end of the log, its identity, and state that is stored with it.
public struct Head: Sendable, Equatable {
    /// The sequence of the last record; 0 for an empty log.
    public var sequence: UInt64
    /// The checksum of the last record, which the next one refers to; 0 for an empty log.
    public var checksum: UInt64
    /// The time of the last record, in microseconds since 1970.
    public var time: Int64
    /// When the epoch began, in microseconds since 1970; a copy or a new log has another.
    public var epoch: UInt64
    /// Identifies the log and all its copies: 32 hex digits.
    public var storeID: String
    /// Commands of records up to here are held until they are released; 0: none.
    public var heldThrough: UInt64
    /// Whether dispatches are refused, and why; `nil`: they are accepted.
    public var lock: Lock?
    public var throttles: [Throttle]
    /// The conditions that every state must meet, in the order in which they were set.
    public var invariants: [Invariant]
    /// The last record imported from another log, whose locks don't apply here; 0: none.
    public var importedThrough: UInt64

    public init(
        sequence: UInt64 = 0, checksum: UInt64 = 0, time: Int64 = 0, epoch: UInt64, storeID: String, heldThrough: UInt64 = 0,
        lock: Lock? = nil, throttles: [Throttle] = [], invariants: [Invariant] = [], importedThrough: UInt64 = 0
    ) {
        (self.sequence, self.checksum, self.time, self.epoch, self.storeID) = (sequence, checksum, time, epoch, storeID)
        (self.heldThrough, self.lock, self.throttles, self.invariants) = (heldThrough, lock, throttles, invariants)
        self.importedThrough = importedThrough
    }
}

/// Changes of the head in a flush, other than the end of the log; `nil` leaves a field unchanged.
public struct HeadDelta: Sendable, Equatable {
    /// Holds the commands up to a sequence, or releases all of them with 0.
    public var heldThrough: UInt64?
    public var lock: LockChange?
    public var throttles: [Throttle]?
    public var invariants: [Invariant]?
    /// Marks the records up to a sequence as imported from another log.
    public var importedThrough: UInt64?

    public init() {}

    func apply(to head: inout Head) {
        if let heldThrough { head.heldThrough = heldThrough }
        if let throttles { head.throttles = throttles }
        if let invariants { head.invariants = invariants }
        if let importedThrough { head.importedThrough = importedThrough }
        switch lock {
        case .lock(let lock): head.lock = lock
        case .unlock: head.lock = nil
        case nil: break
        }
    }

    /// Adds later changes, which replace earlier ones of the same field.
    mutating func merge(_ later: HeadDelta) {
        if let heldThrough = later.heldThrough { self.heldThrough = heldThrough }
        if let lock = later.lock { self.lock = lock }
        if let throttles = later.throttles { self.throttles = throttles }
        if let invariants = later.invariants { self.invariants = invariants }
        if let importedThrough = later.importedThrough { self.importedThrough = importedThrough }
    }
}

extension HeadDelta: RowCoding {
    public mutating func code<Coder: RowCoder>(_ fields: inout Coder) throws(Coder.Failure) {
        // Each field is present only if it changes.
        var (held, imported) = (heldThrough.map(NumberMessage.init), importedThrough.map(NumberMessage.init))
        var (throttleList, invariantList) = (throttles.map(ListMessage.init), invariants.map(ListMessage.init))
        var (locked, unlocked): (Lock?, ListMessage<Lock>?) = (nil, nil)
        switch lock {
        case .lock(let lock): locked = lock
        case .unlock: unlocked = ListMessage()
        case nil: break
        }
        try fields.message(1, &held)
        try fields.message(2, &throttleList)
        try fields.message(3, &invariantList)
        try fields.message(4, &imported)
        try fields.message(5, &locked)
        try fields.message(6, &unlocked)
        (heldThrough, importedThrough) = (held?.value, imported?.value)
        (throttles, invariants) = (throttleList?.elements, invariantList?.elements)
        lock = unlocked == nil ? locked.map { .lock($0) } : .unlock
    }
}

extension Head {
    package static func newStoreID() -> String {
        let digits = String(UInt128.random(in: 0...UInt128.max), radix: 16)
        return String(repeating: "0", count: 32 - digits.utf8.count) + digits
    }
}

extension Head: RowCoding {
    public init() { self.init(epoch: 0, storeID: "") }

    public mutating func code<Coder: RowCoder>(_ fields: inout Coder) throws(Coder.Failure) {
        try fields.field(1, &sequence)
        try fields.field(2, &checksum)
        try fields.field(3, &time)
        try fields.field(4, &epoch)
        try fields.field(5, &storeID)
        // Older logs hold a reading of the boot clock here.
        var (boot, bootTime) = ("", 0 as Int64)
        try fields.field(6, &boot)
        try fields.field(7, &bootTime)
        try fields.field(8, &heldThrough)
        try fields.message(9, &lock)
        try fields.list(11, &throttles, max: .max)
        try fields.list(12, &invariants, max: .max)
        try fields.field(13, &importedThrough)
    }
}

/// The earliest time at which another command of a name may start.
public struct Throttle: Sendable, Equatable {
    public var name: UInt64
    /// In microseconds since 1970.
    public var until: Int64

    public init(name: String, until: Int64) {
        self.name = Self.checksum(of: name)
        self.until = until
    }

    public static func checksum(of name: String) -> UInt64 { Checksum.of(Array(name.utf8).span.bytes) }

    /// When a command requested at a time is due, in microseconds since 1970; 0: at once.
    ///
    /// Waits at most for the interval in microseconds, even if the clock was set back.
    public static func due(asked: Int64, interval: Int64, until: Int64?) -> Int64 {
        guard let until, until > asked else { return 0 }
        return min(until, asked.adding(clamping: interval))
    }
}

extension Throttle: RowCoding {
    public init() { (name, until) = (0, 0) }

    public mutating func code<Coder: RowCoder>(_ fields: inout Coder) throws(Coder.Failure) {
        try fields.field(1, &name)
        try fields.field(2, &until)
    }
}

/// A checkpoint of a log's end, to be kept elsewhere: a log that doesn't continue from it is a different log or was changed.
///
/// Its text is `SEQUENCE-CHAIN-DIGEST`, the last two as 16 hex digits each. The checksums detect damage, loss and accidental
/// changes, not forgery.
public struct HeadCheckpoint: Sendable, Equatable {
    public var sequence: UInt64
    /// The checksum of that record, which covers all history up to it; 0 before the first record.
    public var chain: UInt64
    /// The checksum of the canonical bytes of the state after it.
    public var digest: UInt64
    /// Number of redactions of the log when the state was folded.
    public var redactions: UInt64

    public init(sequence: UInt64, chain: UInt64, digest: UInt64, redactions: UInt64 = 0) {
        (self.sequence, self.chain, self.digest, self.redactions) = (sequence, chain, digest, redactions)
    }
}

extension HeadCheckpoint: LosslessStringConvertible {
    /// The text form; after a redaction, `-COUNT` follows.
    public var description: String {
        "\(sequence)-\(Hexadecimal.text(chain))-\(Hexadecimal.text(digest))" + (redactions == 0 ? "" : "-\(redactions)")
    }

    /// Parses the text form; `nil` for any other text.
    public init?(_ description: String) {
        let parts = description.split(separator: "-", omittingEmptySubsequences: false)
        guard 3...4 ~= parts.count, let sequence = UInt64(parts[0]), let chain = Hexadecimal.number(parts[1]),
            let digest = Hexadecimal.number(parts[2]), let redactions = parts.count == 4 ? UInt64(parts[3]) : 0
        else { return nil }
        self.init(sequence: sequence, chain: chain, digest: digest, redactions: redactions)
        guard self.description.utf8.elementsEqual(description.utf8) else { return nil }
    }
}
