import Records
import Reducing
import Values

/// What a subscriber is to be told between two moments.
enum StateStep<App: Feature>: Sendable {
    /// Nothing of what it follows has changed.
    case none
    case item(StateItem<App>)
    /// So much that it gets all of it again.
    case tooMuch
}

extension StateStep where App.State: CanonicalCodable, App.Action: CanonicalCodable, App.Command: CanonicalCodable {
    /// Compares two states, and reads what led from one to the other; on the query thread.
    ///
    /// - Throws: `.damaged`.
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
        // What was taken out of a record must not be told once more, as what was there before.
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
        // What was compacted away meanwhile can't be shown any more; the state is told all the same.
        let since = max(
            before.sequence + 1, now.sequence - min(now.sequence, UInt64(Limits.itemRecordsMax)) + 1, log.first)
        // What was taken out of a record changes the state, too, and is none.
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
