public import ChronicleLog
public import ChronicleStore

public struct Verification: Sendable {
    public enum Kind: String, Sendable {
        /// A record or its checksum.
        case record
        /// A record that this version can't read.
        case unreadable
        /// The head or the identity of the log.
        case ends
        /// A damaged snapshot, or one of another log.
        case snapshot
        /// A snapshot of this code whose state differs from the fold.
        case digest
        /// A snapshot of other code whose state differs from the fold: the code folds differently.
        case fold
        /// The log does not extend a given head.
        case head
        case key
        case outbox
        case bookmark
    }

    public struct Damage: Sendable, Equatable {
        public var kind: Kind
        /// The record concerned; 0: none.
        public var sequence: UInt64
        public var what: String

        public init(_ kind: Kind, _ sequence: UInt64, _ what: String) {
            (self.kind, self.sequence, self.what) = (kind, sequence, what)
        }

        /// The damage of an unfoldable record; `nil` for other errors.
        public init?(_ error: StoreError) {
            switch error {
            case .damaged(let sequence, let what): self.init(.record, sequence, what)
            case .undecodable(let sequence, let what): self.init(.unreadable, sequence, what)
            default: return nil
            }
        }

        /// The damage that an error of the log means.
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

    /// The record before the first one.
    public var base: UInt64 = 0
    /// The last record checked.
    public var head: UInt64 = 0
    // Numbers of folded records, and of compared snapshots, rows of keys, open commands and bookmarks.
    public var records: UInt64 = 0
    public var snapshots = 0
    public var keys = 0
    public var commands = 0
    public var bookmarks = 0
    /// The damages, up to `HistoryLimits.damagesMax`.
    public private(set) var damages: [Damage] = []

    init() {}

    /// The damage with the lowest record; one without a record comes first.
    public var first: Damage? { damages.min { $0.sequence < $1.sequence } }

    mutating func note(_ damage: Damage) { if damages.count < HistoryLimits.damagesMax { damages.append(damage) } }

    /// Records an error that means damage; rethrows any other, which is a fault of the machine.
    mutating func note(_ error: ActionLogError, else kind: Kind) throws(StoreError) {
        guard error.isDamage else { throw StoreError(error) }
        note(Damage(error, else: kind))
    }

    mutating func note(_ kind: Kind, _ sequence: UInt64, _ what: String) { note(Damage(kind, sequence, what)) }
}
