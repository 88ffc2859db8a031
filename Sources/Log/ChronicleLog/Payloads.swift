import ChronicleValues

/// The payload of a bookmark record: it sets, moves or removes the bookmark of that name.
public struct Bookmark: Sendable, Equatable {
    public static let nameBytesMax = 64

    /// The name, 1 to `nameBytesMax` bytes.
    public var name: String
    /// The sequence that the name refers to; 0 is before the first record.
    public var sequence: UInt64
    public var isWithdrawn = false

    public init(name: String, sequence: UInt64) {
        self.name = name
        self.sequence = sequence
    }

    public init(withdrawing name: String) {
        self.init(name: name, sequence: 0)
        isWithdrawn = true
    }
}

extension Bookmark: RowCoding {
    public init() { self.init(name: "", sequence: 0) }

    public mutating func code<Coder: RowCoder>(_ fields: inout Coder) throws(Coder.Failure) {
        try fields.field(1, &name)
        try fields.field(2, &sequence)
        try fields.field(3, &isWithdrawn)
    }

    /// An export can contain any name.
    public var isValid: Bool { 1...Self.nameBytesMax ~= name.utf8.count }
}

/// The payload of an edit record, which changes the arguments of the open command in its `cause`.
public struct CommandEdit: Sendable, Equatable {
    public var before: CommandCall
    /// The command from then on: same name and version, other arguments.
    public var after: CommandCall

    public init(before: CommandCall, after: CommandCall) {
        self.before = before
        self.after = after
    }
}

extension CommandEdit: RowCoding {
    public init() { self.init(before: CommandCall(), after: CommandCall()) }

    public mutating func code<Coder: RowCoder>(_ fields: inout Coder) throws(Coder.Failure) {
        try fields.message(1, &before)
        try fields.message(2, &after)
    }

    /// An edit changes arguments alone.
    public var isValid: Bool {
        before.name.hasSameBytes(as: after.name) && before.version == after.version && !after.name.isEmpty
    }
}

public struct EpochChange: Sendable, Equatable {
    public var epoch: UInt64
    public var previous: UInt64
    /// Commands of records up to here are held.
    public var heldThrough: UInt64

    public init(epoch: UInt64, previous: UInt64, heldThrough: UInt64) {
        self.epoch = epoch
        self.previous = previous
        self.heldThrough = heldThrough
    }
}

extension EpochChange: RowCoding {
    public init() { self.init(epoch: 0, previous: 0, heldThrough: 0) }

    public mutating func code<Coder: RowCoder>(_ fields: inout Coder) throws(Coder.Failure) {
        try fields.field(1, &epoch)
        try fields.field(2, &previous)
        try fields.field(3, &heldThrough)
    }
}

/// A lock against dispatches: the payload of a lock record, and part of the head row while it is active.
public struct Lock: Sendable, Equatable {
    public static let reasonBytesMax = 1_024

    /// The reason given to refused callers, 1 to `reasonBytesMax` bytes.
    public var reason: String
    /// The uid that locked; 0 in the record, whose header has the origin.
    public var origin: UInt32
    /// The record that locked; 0 in that record itself.
    public var record: UInt64

    public init(reason: String, origin: UInt32 = 0, record: UInt64 = 0) {
        self.reason = reason
        self.origin = origin
        self.record = record
    }
}

extension Lock: RowCoding {
    public init() { self.init(reason: "") }

    public mutating func code<Coder: RowCoder>(_ fields: inout Coder) throws(Coder.Failure) {
        try fields.field(1, &reason)
        try fields.field(2, &origin)
        try fields.field(3, &record)
    }

    public var isValid: Bool { 1...Self.reasonBytesMax ~= reason.utf8.count }
}

public enum LockChange: Sendable, Equatable {
    case lock(Lock)
    case unlock
}

/// The header of a partial result of a command; the actions that follow it have the same command as their cause.
public struct ResultPiece: Sendable, Equatable {
    /// The part's index, from 0; each part is logged once, even if the command is retried.
    public var index: UInt32
    /// Amount done, in units of the target.
    public var done: UInt64
    /// Total amount; 0 if unknown.
    public var total: UInt64

    public init(index: UInt32, done: UInt64 = 0, total: UInt64 = 0) {
        self.index = index
        self.done = done
        self.total = total
    }
}

extension ResultPiece: RowCoding {
    public init() { self.init(index: 0) }

    public mutating func code<Coder: RowCoder>(_ fields: inout Coder) throws(Coder.Failure) {
        try fields.field(1, &index)
        try fields.field(2, &done)
        try fields.field(3, &total)
    }
}

/// A condition that every state must meet: the payload of its record, and an entry of the head row while it is active.
public struct Invariant: Sendable, Equatable {
    public static let nameBytesMax = 64
    public static let textBytesMax = 512

    public var name: String
    /// The condition, at most `textBytesMax` bytes; empty in a record that removes it.
    public var text: String
    /// The uid that set it; 0 in the record, whose header has the origin.
    public var origin: UInt32
    /// The record that set it; 0 in that record itself.
    public var record: UInt64

    public init(name: String, text: String, origin: UInt32 = 0, record: UInt64 = 0) {
        (self.name, self.text, self.origin, self.record) = (name, text, origin, record)
    }

    public var isWithdrawn: Bool { text.utf8.isEmpty }
}

extension Invariant: RowCoding {
    public init() { self.init(name: "", text: "") }

    public mutating func code<Coder: RowCoder>(_ fields: inout Coder) throws(Coder.Failure) {
        try fields.field(1, &name)
        try fields.field(2, &text)
        try fields.field(3, &origin)
        try fields.field(4, &record)
    }

    public var isValid: Bool { 1...Self.nameBytesMax ~= name.utf8.count && text.utf8.count <= Self.textBytesMax }
}

extension [Invariant] {
    /// Applies an invariant record: sets, replaces or removes the invariant of that name.
    public mutating func apply(_ change: Invariant, of record: UInt64, by origin: UInt32) {
        removeAll { $0.name.hasSameBytes(as: change.name) }
        guard !change.isWithdrawn else { return }
        append(Invariant(name: change.name, text: change.text, origin: origin, record: record))
    }
}

/// The range of a fork's records that a record merges, so that none is merged twice.
public struct ForkMark: Sendable, Equatable {
    /// The epoch of the fork, for people; identity is decided by the checksums, because moved or copied files get another epoch.
    public var epoch: UInt64
    /// Records of the fork up to this one were already present.
    public var from: UInt64
    /// The last record of the fork that is merged.
    public var through: UInt64
    /// The checksum of that record, which covers all history of the fork up to it.
    public var chain: UInt64
    /// The checksum of the first record that only this fork and its copies have; it identifies the fork.
    public var firstChain: UInt64
    /// Forks merged into this one earlier, at most `heldMax`; of a merge of several records, only in the first one.
    public var held: [HeldFork]

    public init(epoch: UInt64, from: UInt64, through: UInt64, chain: UInt64, firstChain: UInt64, held: [HeldFork] = []) {
        (self.epoch, self.from, self.through, self.chain, self.firstChain) = (epoch, from, through, chain, firstChain)
        self.held = held
    }

    public static let heldMax = 64

    /// The fork and all forks merged into it.
    public var brought: [HeldFork] { [HeldFork(firstChain: firstChain, through: through, chain: chain)] + held }

    /// Whether both bring records of a common fork.
    public func overlaps(_ other: ForkMark) -> Bool {
        let forks = Set(brought.map(\.firstChain))
        return other.brought.contains { forks.contains($0.firstChain) }
    }

    /// Whether both can't be merged into the same log; two merges of a fork may each bring a different part.
    public func repeats(_ other: ForkMark) -> Bool {
        guard firstChain == other.firstChain else { return overlaps(other) }
        return max(from, other.from) < min(through, other.through)
    }
}

extension ForkMark: RowCoding {
    public init() { self.init(epoch: 0, from: 0, through: 0, chain: 0, firstChain: 0) }

    public mutating func code<Coder: RowCoder>(_ fields: inout Coder) throws(Coder.Failure) {
        try fields.field(1, &epoch)
        try fields.field(2, &from)
        try fields.field(3, &through)
        try fields.field(4, &chain)
        try fields.field(5, &firstChain)
        try fields.list(6, &held, max: Self.heldMax)
    }
}

/// A fork that was merged into another fork.
public struct HeldFork: Sendable, Equatable {
    /// The checksum of the first record that only this fork has; it identifies the fork.
    public var firstChain: UInt64
    /// The last record of it that the other fork has.
    public var through: UInt64
    public var chain: UInt64
}

extension HeldFork: RowCoding {
    public init() { self.init(firstChain: 0, through: 0, chain: 0) }

    public mutating func code<Coder: RowCoder>(_ fields: inout Coder) throws(Coder.Failure) {
        try fields.field(1, &firstChain)
        try fields.field(2, &through)
        try fields.field(3, &chain)
    }
}
