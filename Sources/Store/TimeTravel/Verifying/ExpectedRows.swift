import Records
import Reducing
import StoreRuntime
import Values

/// What the records say that must be found again in the rows beside them.
struct ExpectedRows<App: Feature> where App.Command: CanonicalCodable {
    /// The record before the first that there is.
    let base: UInt64
    /// The last record that was looked at.
    let last: UInt64
    /// How many records came with a key.
    private(set) var keyed: UInt64 = 0
    /// The commands that were asked for and have not ended.
    private(set) var open: [CommandID: CommandCall] = [:]
    /// How many parts of what a command brings are logged, where there are any; `nil`: that is not known.
    private(set) var pieces: [CommandID: UInt32?] = [:]
    var bookmarks: [ExactText: BookmarkRow] = [:]
    /// The lock, if there is one.
    var lock: Lock?
    /// The conditions that every state must meet.
    var invariants: [Invariant]
    /// Commands of records up to here are held, at least: an import leaves it open whether those to come are.
    var heldThrough: UInt64
    /// Whether the records could not be read to their end: then nothing can be said about what is missing.
    var isBroken = false
    private var ended: [CommandID] = []

    /// Begins with what stood, and the commands that were open, before the first record that there is.
    init(after base: UInt64, through last: UInt64, _ standing: StandingFacts, _ kept: CompactionSummary?) {
        self.base = base
        self.last = last
        (lock, invariants, heldThrough) = (standing.lock, standing.invariants, min(standing.heldThrough, base))
        for row in standing.bookmarks { bookmarks[ExactText(row.name)] = row }
        for row in kept?.open ?? [] {
            open[row.id] = row.call
            // An older build did not write down how many there were.
            pieces[row.id] = kept?.standing == nil ? .some(nil) : row.pieces
        }
    }

    mutating func note(_ record: HeaderFields) {
        if record.hasKey { keyed += 1 }
        note(record.kind, about: record.cause)
    }

    private mutating func note(_ kind: RecordKind, about command: CommandID?) {
        guard let command else { return }
        switch kind {
        case .end: ended.append(command)
        case .piece: pieces[command] = (pieces[command] ?? 0).map { $0 + 1 }
        case .edit: pieces[command] = 0
        default: break
        }
    }

    /// Notes the commands of a record, and what it made of another.
    mutating func note(_ record: LoggedRecord<App>) {
        let header = record.header
        if let edit = record.edit, let id = header.cause { open[id] = edit.after }
        for (index, call) in header.commands.enumerated() where !call.presentational && !Self.isCancellation(call) {
            open[CommandID(sequence: header.sequence, index: UInt32(index))] = call
        }
    }

    /// Notes a record that came after the last one.
    mutating func noteLate(_ record: LoggedRecord<App>) {
        note(record)
        note(record.header.kind, about: record.header.cause)
    }

    /// Takes out what has ended; ends stand behind what they end, so this is right for any piece of the log.
    mutating func closeEnded() {
        for id in ended { (open[id], pieces[id]) = (nil, nil) }
        ended = []
    }

    // Such a command only ends others and never gets a row.
    private static func isCancellation(_ call: CommandCall) -> Bool {
        (try? App.Command(canonical: call.arguments))?.policy.isCancellation ?? false
    }
}
