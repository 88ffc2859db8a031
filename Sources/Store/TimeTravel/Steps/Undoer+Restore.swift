public import Chronicle
import ChronicleLog
public import ChronicleStore
public import Expressions

extension Undoer {
    /// Restores everything, or one path, to its state at a point, as one step.
    ///
    /// Commands requested since are cancelled if everything or a feature is restored.
    /// - Parameter place: `nil`: everything. A position in it means the element at that position now.
    /// - Throws: `noSuchPlace` if the path can't be restored alone; `withinChange`.
    public func revert(
        _ place: Path? = nil, to point: Point, _ call: UndoCall
    ) async throws(StoreError) -> (undone: Undone<App.Command>, target: UInt64) {
        // The point may resolve to another record in a later attempt, so the key covers only the request.
        let digest = Self.digest(of: "revert \(point)" + (place.map { " \($0)" } ?? ""))
        var target: UInt64?
        let undone = try await serialized(call, digest: digest) { call async throws(StoreError) in
            let past = try await history.state(at: point)
            target = past.sequence
            try await history.requireEdge(at: past.sequence)
            let (reversion, cancelling) = try await goal(place, as: past, from: store.present.state)
            return try await commit(reversion, call, restores: past.sequence, cancelling: cancelling)
        }
        if let target { return (undone, target) }
        return (undone, try await history.resolve(point))
    }

    /// Undoes the last change of a path that still has an effect; repeated calls go back further.
    /// - Throws: `nothingToUndo` if the path is as it was when its element was created; `notYourStep`.
    public func undoLastChange(of place: Path, _ call: UndoCall) async throws(StoreError) -> Undone<App.Command> {
        try await serialized(call, digest: Self.digest(of: "undo \(place)")) { call async throws(StoreError) in
            // Later changes are seen at the commit.
            let present = store.present
            let place = resolved(place, in: present.state)
            var through = present.sequence
            var passedBy = 0
            while true {
                let change = try await history.lastChange(of: place, through: through)
                let target = try await history.state(at: .sequence(change.first - 1))
                // Unchanged since its element was created or restored.
                if let element = place.element, !isThere(element, in: target.state) { throw .nothingToUndo }
                let (reversion, cancelling) = try await goal(place, as: target, from: present.state)
                guard !reversion.isEmpty else {
                    passedBy += 1
                    guard passedBy < HistoryLimits.passedByMax else { throw .nothingLeft(change.step) }
                    through = change.first - 1
                    continue
                }
                guard call.isForAnyone || change.origin == call.origin else {
                    throw .notYourStep(change.step, uid: change.origin)
                }
                return try await commit(
                    reversion, call, restores: target.sequence, cancelling: cancelling, steps: [change.step])
            }
        }
    }

    private static func digest(of words: String) -> UInt64 { Checksum.of(Array(words.utf8).span.bytes) }

    /// The path with current positions replaced by element ids.
    private func resolved(_ place: Path, in state: App.State) -> Path {
        var reader = StateReading<App>(state)
        return place.resolved(in: &reader)
    }

    private func isThere(_ place: Path, in state: App.State) -> Bool {
        var reader = StateReading<App>(state)
        if case .nothing = place.read(from: &reader) { return false } else { return true }
    }

    /// The actions that restore everything, or one path, from another state, and the commands to cancel.
    private func goal(
        _ place: Path?, as target: PastState<App>, from present: App.State
    ) async throws(StoreError) -> (Reversion<App>, UndoBatch<App>.Cancelling) {
        var (wanted, cancelling) = (target.state, UndoBatch<App>.Cancelling.askedAfter(target.sequence))
        if let place {
            let place = resolved(place, in: present)
            guard let steps = place.placeSteps, let restored = App.restored(steps, in: present, from: target.state) else {
                throw .noSuchPlace(place.description)
            }
            wanted = restored
            let feature = App.children.first { place.steps == [.name($0)] }
            cancelling = feature.map { .askedAfter(target.sequence, of: $0) } ?? .these([])
        }
        return (try await history.reversion(from: present, to: wanted), cancelling)
    }
}

extension Path {
    /// The element that contains this field; `nil` outside of elements.
    fileprivate var element: Path? {
        let end = steps.lastIndex { if case .id = $0 { true } else { false } }
        guard let end, end < steps.count - 1 else { return nil }
        return Path(Array(steps[...end]))
    }

    /// The path within a feature; `nil` if it contains a position or an invalid id.
    var placeSteps: [PlaceStep]? {
        var places: [PlaceStep] = []
        for step in steps {
            switch step {
            case .name(let name): places.append(.name(name))
            case .id(let id): if let id = UInt64(exactly: id) { places.append(.id(id)) } else { return nil }
            case .position: return nil
            }
        }
        return places
    }
}

/// The diff from a state back to an earlier one, without assigned ids; computed once, because that takes time.
struct Reversion<App: Feature>: Sendable {
    private let present: App.State
    private let wanted: App.State
    private let actions: [App.Action]

    /// Compares two states; call it on the query thread.
    init(from present: App.State, to target: App.State) throws(StoreError) {
        self.present = present
        wanted = App.reverted(present, from: present, to: target).state
        actions = try StepPlan<App>.compensatingActions(from: present, to: wanted)
    }

    var isEmpty: Bool { actions.isEmpty }

    /// The actions to log, given the states before and after commands were cancelled; keeps concurrent changes in other scopes.
    /// - Throws: `.outdated` for a change in a reverted scope.
    func decide(_ before: App.State, _ now: App.State) throws(StoreError) -> [App.Action] {
        let touched = App.changedScopes(from: present, to: wanted)
        guard App.changedScopes(from: present, to: before).isDisjoint(with: touched) else { throw .outdated }
        guard !App.changedScopes(from: before, to: now).isEmpty else { return actions }
        // Also revert the results that the cancelled commands reported just now.
        let target = App.reverted(before, from: present, to: wanted).state
        return try StepPlan<App>.compensatingActions(from: now, to: App.reverted(now, from: now, to: target).state)
    }
}

extension History {
    /// Whether a path is equal at two points, apart from values that can't be restored.
    private func isSame(_ place: Path, at later: UInt64, and earlier: UInt64) async throws(StoreError) -> Bool {
        try await query(.long) { (queries) async throws(StoreError) in
            let (old, new) = try await self.pair(earlier, later, queries)
            // Restoring a recurring todo omits its rule if its next occurrence has it.
            let restored = place.placeSteps.flatMap { App.restored($0, in: new.state, from: old.state) }
            var watch = PathWatch<App>(place, in: restored ?? old.state)
            return watch.look(new.state) == nil
        }
    }

    /// The last change of a path that was not undone; skips records that restored it, together with the changes that they undid.
    /// - Returns: its step, and the first record of the step's last run: no other step changed the path since.
    func lastChange(
        of place: Path, through last: UInt64
    ) async throws(StoreError) -> (step: UInt64, origin: UInt32, first: UInt64) {
        var through = last
        while let sequence = try await blame(place, at: .sequence(through))?.sequence {
            let record = try record(at: sequence)
            if let moment = record.header.restores ?? record.header.undoes.map({ $0 - 1 }), moment < sequence,
                moment >= base.sequence, try await isSame(place, at: sequence, and: moment)
            {
                through = moment
                continue
            }
            let first = try await query(.long) { (queries) async throws(StoreError) in
                try await self.outermost(from: record, isForward: false, queries) { $0.header.step == $1.header.step }
            }
            return (record.header.step, record.header.origin, first.header.sequence)
        }
        throw .nothingToUndo
    }
}

extension History {
    /// Rejects a point in the middle of a dispatch with `withinChange`: such a state was never visible and may violate invariants.
    func requireEdge(at sequence: UInt64) async throws(StoreError) {
        try await query(.long) { (queries) async throws(StoreError) in
            // The records before the base are gone.
            guard sequence > self.base.sequence, sequence < self.head else { return }
            let (before, after) = (try self.record(at: sequence), try self.record(at: sequence + 1))
            guard after.header.isOfDispatch(of: before.header) else { return }
            let first = try await self.outermost(from: before, isForward: false, queries) {
                $1.header.isOfDispatch(of: $0.header)
            }
            let last = try await self.outermost(from: after, isForward: true, queries) { $1.header.isOfDispatch(of: $0.header) }
            throw .withinChange(before: first.header.sequence - 1, after: last.header.sequence)
        }
    }
}
