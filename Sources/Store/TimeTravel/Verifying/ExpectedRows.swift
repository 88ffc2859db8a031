import Chronicle
import ChronicleLog
import ChronicleStore

/// The rows that the records require.
struct ExpectedRows<App: Feature> where App.Command: CanonicalCodable {
    let base: UInt64
    let last: UInt64
    private(set) var keyed: UInt64 = 0
    private(set) var open: [CommandID: CommandCall] = [:]
    /// Number of logged pieces of each command's result; `nil`: unknown.
    private(set) var pieces: [CommandID: UInt32?] = [:]
    var bookmarks: [ExactText: BookmarkRow] = [:]
    var lock: Lock?
    var invariants: [Invariant]
    /// Commands of records up to here are held; an import may hold later ones, too.
    var heldThrough: UInt64
    /// Whether the records could not be read to the end, so that missing rows are no evidence.
    var isBroken = false
    private var ended: [CommandID] = []

    /// Begins with the rows before the first record.
    init(after base: UInt64, through last: UInt64, _ standing: StandingFacts, _ kept: CompactionSummary?) {
        self.base = base
        self.last = last
        (lock, invariants, heldThrough) = (standing.lock, standing.invariants, min(standing.heldThrough, base))
        for row in standing.bookmarks { bookmarks[ExactText(row.name)] = row }
        for row in kept?.open ?? [] {
            open[row.id] = row.call
            // Older versions did not store their number.
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

    mutating func note(_ record: LoggedRecord<App>) {
        let header = record.header
        if let edit = record.edit, let id = header.cause { open[id] = edit.after }
        for (index, call) in header.commands.enumerated() where !call.presentational && !Self.isCancellation(call) {
            open[CommandID(sequence: header.sequence, index: UInt32(index))] = call
        }
    }

    /// Adds a record that was appended during the check.
    mutating func noteLate(_ record: LoggedRecord<App>) {
        note(record)
        note(record.header.kind, about: record.header.cause)
    }

    /// Removes ended commands: ends always come after requests, so this works for any part of the log.
    mutating func closeEnded() {
        for id in ended { (open[id], pieces[id]) = (nil, nil) }
        ended = []
    }

    // Such a command only ends others and has no row.
    private static func isCancellation(_ call: CommandCall) -> Bool {
        (try? App.Command(canonical: call.arguments))?.policy.isCancellation ?? false
    }
}
