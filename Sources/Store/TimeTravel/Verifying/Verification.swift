public import Records
public import StoreRuntime

/// What a verification looked at, and what it found.
public struct Verification: Sendable {
    /// What kind of thing is damaged.
    public enum Kind: String, Sendable {
        /// A record, or its link to the one before.
        case record
        /// A record that this version can't read.
        case unreadable
        /// Where the log ends, or whose it is.
        case ends
        /// A snapshot that is not what was written, or of another log.
        case snapshot
        /// A snapshot of this code whose state is not what the records fold to.
        case digest
        /// A snapshot of other code whose state is not what the records fold to: the code folds differently.
        case fold
        /// The log is not the one that a head is of.
        case head
        /// The row of a key.
        case key
        /// The row of an open command.
        case outbox
        /// The row of a bookmark.
        case bookmark
        /// The row of a subscription.
        case subscription
    }

    public struct Damage: Sendable, Equatable {
        public var kind: Kind
        /// The record concerned; 0 where it is none.
        public var sequence: UInt64
        /// What is wrong, as a sentence.
        public var what: String

        public init(_ kind: Kind, _ sequence: UInt64, _ what: String) {
            self.kind = kind
            self.sequence = sequence
            self.what = what
        }

        /// What a record means that can't be folded; `nil` for other errors.
        public init?(_ error: StoreError) {
            switch error {
            case .damaged(let sequence, let what): self.init(.record, sequence, what)
            case .undecodable(let sequence, let what): self.init(.unreadable, sequence, what)
            default: return nil
            }
        }

        /// What an error of the log means.
        public init(_ error: ActionLogError, else kind: Kind) {
            switch error {
            case .damaged(0, let what): self.init(kind, 0, what)
            case .damaged(let sequence, let what): self.init(kind == .outbox ? .outbox : .record, sequence, what)
            case .newerFormat(let sequence, let what), .undecodable(let sequence, let what):
                self.init(.unreadable, sequence, what)
            default: self.init(kind, 0, error.description)
            }
        }
    }

    /// The record before the first that there is.
    public var base: UInt64 = 0
    /// The last record that was looked at.
    public var head: UInt64 = 0
    /// How many records were folded.
    public var records: UInt64 = 0
    /// How many snapshots were compared.
    public var snapshots = 0
    /// How many rows of keys were compared.
    public var keys = 0
    /// How many open commands were compared.
    public var commands = 0
    /// How many bookmarks were compared.
    public var bookmarks = 0
    /// How many subscriptions were compared.
    public var subscriptions = 0
    /// What is damaged, up to `HistoryLimits.damagesMax`.
    public private(set) var damages: [Damage] = []

    init() {}

    /// The damage that concerns the first record; one that concerns none comes before.
    public var first: Damage? { damages.min { $0.sequence < $1.sequence } }

    mutating func note(_ damage: Damage) {
        if damages.count < HistoryLimits.damagesMax { damages.append(damage) }
    }

    /// Notes an error that means damage; throws any other error, which is a fault of the machine.
    mutating func note(_ error: ActionLogError, else kind: Kind) throws(StoreError) {
        guard error.isDamage else { throw StoreError(error) }
        note(Damage(error, else: kind))
    }

    mutating func note(_ kind: Kind, _ sequence: UInt64, _ what: String) { note(Damage(kind, sequence, what)) }
}
