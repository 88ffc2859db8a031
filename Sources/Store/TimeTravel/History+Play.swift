public import Chronicle
import ChronicleLog
public import ChronicleStore

extension History {
    /// Delivers the state at a point, then the changes of each later record, up to the present.
    ///
    /// If the newest records changed nothing in scope, an empty item of the present ends the stream. A consumer without pauses that can't
    /// keep up gets the intermediate changes merged into one.
    /// - Parameters:
    ///   - scope: an index in `Feature.scopes`: only changes of this scope are delivered.
    ///   - pace: the pauses between two items; `nil`: none.
    ///   - deliver: takes an item, and returns when the consumer is ready for the next one.
    /// - Returns: the last delivered state, to continue live.
    /// - Throws: `.futureSequence`, `.pruned`, also when the log is compacted past the cursor; `.queryBusy`, `.damaged`, `.undecodable`,
    ///   and the errors of `deliver`.
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
            // Hold the present only for the last part: it may be large, and the way long.
            let goal = isNear ? present() : nil
            let end = goal?.sequence ?? last
            while place.sequence < end || place.redactions != redactions {
                guard place.redactions == redactions else {
                    // After a redaction, delivered values no longer match the log.
                    place = try await showState(at: .sequence(place.sequence), scope, epoch: epoch, deliver)
                    continue
                }
                // With pauses, hold one record at a time.
                let most = pace == nil ? HistoryLimits.pageChangedRecordsMax : 1
                guard let page = try await transitions(after: place, through: end, scope, most: most) else { continue }
                for transition in page.found {
                    if let pace, place.shown > 0 {
                        deadline = max(deadline + pace.pause(from: place.time, to: transition.record.header.time), .now)
                        try await Task.sleep(until: deadline, clock: .continuous)
                    }
                    try await tell(transition, after: &place, scope, epoch: epoch, deliver)
                }
                place.sequence = page.reached
            }
            if let goal, goal.redactions <= place.redactions {
                guard goal.sequence > place.shown else { return goal }
                try await deliver(
                    StateItem(
                        epoch: goal.epoch, sequence: goal.sequence, time: goal.time, content: .changes([]), records: [],
                        skipped: goal.sequence - place.shown))
                return goal
            }
            distance = left
        }
    }

    private struct Place {
        var sequence: UInt64
        var redactions: UInt64
        var shown: UInt64
        var time: Int64
    }

    /// A record and its changes; `nil`: more than an item holds.
    private typealias Transition = (record: LoggedRecord<App>, changes: [Change]?)

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
        let (sequence, time) = (transition.record.header.sequence, transition.record.header.time)
        guard let changes = transition.changes else {
            place = try await showState(at: .sequence(sequence), scope, epoch: epoch, deliver)
            return
        }
        try await deliver(
            StateItem(
                epoch: epoch, sequence: sequence, time: time, content: .changes(changes), records: [transition.record],
                skipped: sequence - place.shown - 1, isPast: true))
        (place.sequence, place.shown, place.time) = (sequence, sequence, time)
    }

    /// Changes of the next records in a scope, and the last record scanned; `nil` after a concurrent redaction.
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
                    if changes?.isEmpty != true { found.append((record, changes)) }
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

/// The speed of a replay: the original pauses, scaled and limited.
public struct Pace: Sendable, Equatable {
    /// Speed in thousandths of the original; at least 1.
    public var speed: UInt64
    /// Maximum pause in microseconds; `nil`: unlimited.
    public var gapMax: UInt64?

    public init(speed: UInt64, gapMax: UInt64? = nil) { (self.speed, self.gapMax) = (speed, gapMax) }

    /// The pause between two records, by their times in microseconds since 1970.
    public func pause(from earlier: Int64, to later: Int64) -> Duration {
        let gap = max(0, Double(later) - Double(earlier)) * 1_000 / Double(max(speed, 1))
        return .microseconds(Int64(min(gap, gapMax.map { Double($0) } ?? .infinity, Self.endless)))
    }

    // About thirty thousand years, which a clock can still represent.
    private static let endless = 1e18
}
