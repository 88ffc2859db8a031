import Chronicle
import ChronicleLog

/// The delivery to a subscriber between two positions.
enum StateStep<App: Feature>: Sendable {
    case none
    case item(StateItem<App>)
    /// Too much for one item: the whole value is delivered again.
    case tooMuch
}

extension StateStep where App.State: CanonicalCodable, App.Action: CanonicalCodable, App.Command: CanonicalCodable {
    /// Compares two states, and reads the records between them; on the query thread; throws `.damaged`.
    init(
        from before: CommittedState<App.State>, to now: CommittedState<App.State>, of watched: Watched, in log: any ActionLog
    ) throws(StoreError) {
        guard now.isNews(to: before, in: watched.scope) else {
            self = .none
            return
        }
        guard let changes = StateItem<App>.changes(from: before.state, to: now.state, of: watched) else {
            self = .tooMuch
            return
        }
        guard !changes.isEmpty else {
            self = .none
            return
        }
        // Redacted texts must not appear again as the old value of a change.
        guard before.redactions == now.redactions else {
            self = .tooMuch
            return
        }
        guard case .state(let scope) = watched else {
            self = .item(
                StateItem(
                    epoch: now.epoch, sequence: now.sequence, time: now.time, content: .changes(changes), records: [],
                    skipped: 0))
            return
        }
        // Compacted records are missing from the item; the changes are delivered all the same.
        let since = max(before.sequence + 1, now.sequence - min(now.sequence, UInt64(Limits.itemRecordsMax)) + 1, log.first)
        // A redaction changes the state without a record.
        let records =
            since <= now.sequence
            ? try LoggedRecord<App>.page(from: since, through: now.sequence, in: log, bytesMax: Limits.itemRecordsBytesMax).filter
            { $0.belongs(to: scope) } : []
        self = .item(
            StateItem(
                epoch: now.epoch, sequence: now.sequence, time: now.time, content: .changes(changes), records: records,
                skipped: now.sequence - before.sequence - UInt64(records.count)))
    }
}
