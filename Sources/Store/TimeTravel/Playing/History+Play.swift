import Records
public import Reducing
public import StoreRuntime

extension History {
    /// Delivers the state at a moment, then what each later record changed in it, until it has delivered all there is; last of all, where
    /// the newest records changed nothing of it, that there is no more, as no changes of the present.
    ///
    /// Between two pages nothing but a place is held, so that who plays slowly, or waits, costs no more than a connection. Who plays without
    /// pauses and is slower than others write is not kept behind for ever: it goes on from the state that is, with what changed meanwhile
    /// as one.
    ///
    /// - Parameters:
    ///   - scope: an index in `Feature.scopes`: only what changes this scope is delivered.
    ///   - pace: the pauses between two items; `nil`: none.
    ///   - present: the state after the last flush.
    ///   - deliver: takes an item, and returns when there is room for the next one.
    /// - Returns: the state after what was delivered last, to go on from live.
    /// - Throws: `.futureSequence`, `.pruned`, also when the log is compacted beyond the place; `.queryBusy`, `.damaged`, `.undecodable`,
    ///   and what `deliver` throws.
    public func play(
        from point: Point, scope: Int?, at pace: Pace?, until present: @Sendable () -> CommittedState<App.State>,
        deliver: (StateItem<App>) async throws -> Void
    ) async throws -> CommittedState<App.State> {
        var place = try await showState(at: point, scope, epoch: present().epoch, deliver)
        var deadline = ContinuousClock.now
        var distance = UInt64.max
        while true {
            let (epoch, last) = { ($0.epoch, $0.sequence) }(present())
            let left = last - min(last, place.sequence)
            let isNear = left == 0 || pace == nil && (left <= UInt64(HistoryLimits.pageChangedRecordsMax) || left >= distance)
            // Held only for the last stretch: it may be large, and the way long.
            let goal = isNear ? present() : nil
            let end = goal?.sequence ?? last
            while place.sequence < end || place.redactions != redactions {
                guard place.redactions == redactions else {
                    // What was told before is not what the log says now.
                    place = try await showState(at: .sequence(place.sequence), scope, epoch: epoch, deliver)
                    continue
                }
                // Who pauses holds one at a time.
                let most = pace == nil ? HistoryLimits.pageChangedRecordsMax : 1
                guard let page = try await transitions(after: place, through: end, scope, most: most) else { continue }
                for transition in page.found {
                    if let pace, place.shown > 0 {
                        deadline = max(deadline + pace.pause(from: place.time, to: transition.time), .now)
                        try await Task.sleep(until: deadline, clock: .continuous)
                    }
                    try await tell(transition, after: &place, scope, epoch: epoch, deliver)
                }
                place.sequence = page.reached
            }
            if let goal, goal.redactions <= place.redactions {
                try await tellEnd(goal, after: place, deliver)
                return goal
            }
            distance = left
        }
    }

    /// How far somebody was told, and which of the log's redactions are in that.
    private struct Place {
        var sequence: UInt64
        var redactions: UInt64
        /// The record of the last item, and its time.
        var shown: UInt64
        var time: Int64
    }

    /// What one record changed.
    private struct Transition: Sendable {
        var record: LoggedRecord<App>
        /// `nil`: more than an item holds.
        var changes: [Change]?

        var time: Int64 { record.header.time }
    }

    private func showState(
        at point: Point, _ scope: Int?, epoch: UInt64, _ deliver: (StateItem<App>) async throws -> Void
    ) async throws -> Place {
        let past = try await state(at: point)
        var state = CommittedState(
            epoch: epoch, sequence: past.sequence, time: past.time, state: past.state, scopes: App.scopes.count)
        state.redactions = past.redactions
        try await StateItem.deliverPages(of: state, .state(scope: scope), isPast: true, on: queries, deliver)
        return Place(sequence: past.sequence, redactions: past.redactions, shown: past.sequence, time: past.time)
    }

    private func tell(
        _ transition: Transition, after place: inout Place, _ scope: Int?, epoch: UInt64,
        _ deliver: (StateItem<App>) async throws -> Void
    ) async throws {
        let sequence = transition.record.header.sequence
        guard let changes = transition.changes else {
            place = try await showState(at: .sequence(sequence), scope, epoch: epoch, deliver)
            return
        }
        try await deliver(
            StateItem(
                epoch: epoch, sequence: sequence, time: transition.time, content: .changes(changes), records: [transition.record],
                skipped: sequence - place.shown - 1, isPast: true))
        (place.sequence, place.shown, place.time) = (sequence, sequence, transition.time)
    }

    /// Who waits for the present must hear that it is there, also when the newest records changed nothing.
    private func tellEnd(
        _ goal: CommittedState<App.State>, after place: Place, _ deliver: (StateItem<App>) async throws -> Void
    ) async throws {
        guard goal.sequence > place.shown else { return }
        try await deliver(
            StateItem(
                epoch: goal.epoch, sequence: goal.sequence, time: goal.time, content: .changes([]), records: [],
                skipped: goal.sequence - place.shown))
    }

    /// What the next records changed in a scope, and the last record that was looked at; `nil` when something was redacted meanwhile.
    private func transitions(
        after place: Place, through last: UInt64, _ scope: Int?, most: Int
    ) async throws(StoreError) -> (found: [Transition], reached: UInt64)? {
        try await queries.goOn(.long) { (queries) async throws(StoreError) in
            let records = try LoggedRecord<App>.page(from: place.sequence + 1, through: last, in: self.log)
            var past = try await self.past(at: place.sequence, queries)
            var found: [Transition] = []
            let end = monotonicNanoseconds() + HistoryLimits.pageNanosecondsMax
            for record in records {
                let before = past
                try await self.fold(&past, through: record.header.sequence, queries)
                if scope.map({ App.changedScopes(from: before.state, to: past.state).contains(ScopeSet(index: $0)) }) ?? true {
                    let changes = StateItem<App>.changes(from: before.state, to: past.state, of: .state(scope: scope))
                    if changes?.isEmpty != true { found.append(Transition(record: record, changes: changes)) }
                }
                if found.count >= most || monotonicNanoseconds() > end { break }
                try await queries.yieldIfNeeded()
            }
            self.keep(&past)
            guard self.redactions == place.redactions else { return nil }
            return (found, past.sequence)
        }
    }
}
