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
    /// Where the bookmarks stand.
    var bookmarks: [ExactText: BookmarkRow] = [:]
    /// What the last record that locks or unlocks says; `nil`: there is none.
    var lock: Lock??
    /// The conditions that every state must meet.
    var invariants: [Invariant] = []
    /// Whether the records could not be read to their end: then nothing can be said about what is missing.
    var isBroken = false
    private var ended: [CommandID] = []

    /// Begins with the commands that were open before the first record that there is.
    init(after base: UInt64, through last: UInt64, open rows: [OutboxRow] = []) {
        self.base = base
        self.last = last
        for row in rows { open[row.id] = row.call }
    }

    mutating func note(_ record: HeaderFields) {
        if record.hasKey { keyed += 1 }
        if record.kind == .end, let cause = record.cause { ended.append(cause) }
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
        let header = record.header
        if header.kind == .end, let cause = header.cause { ended.append(cause) }
    }

    /// Takes out what has ended; ends stand behind what they end, so this is right for any piece of the log.
    mutating func closeEnded() {
        for id in ended { open[id] = nil }
        ended = []
    }

    // Such a command only ends others and never gets a row.
    private static func isCancellation(_ call: CommandCall) -> Bool {
        (try? App.Command(canonical: call.arguments))?.policy.isCancellation ?? false
    }
}
