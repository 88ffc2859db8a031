public import Chronicle
import ChronicleLog
public import ChronicleStore
public import Expressions

extension Undoer {
    /// Restores everything, or one path, to its state at a point, as one step.
    ///
    /// Commands requested since are cancelled if everything or a feature is restored.
    /// - Parameters:
    ///   - place: `nil`: everything. A position in it means the element at that position now.
    ///   - expectedOutcome: the outcome of a dry run.
    ///   - isDryRun: whether to commit nothing; the result's changes are the diff.
    /// - Throws: `noSuchPlace` if the path can't be restored alone; `withinChange`.
    public func revert(
        _ place: Path? = nil, to point: Point, origin: UInt32, key: String? = nil, expectedOutcome: UInt64? = nil,
        isDryRun: Bool = false
    ) async throws(StoreError) -> (undone: Undone<App.Command>, target: UInt64) {
        // The point may resolve to another record in a later attempt, so the key covers only the request.
        let call = UndoCall(
            origin: origin, key: key, digest: Self.digest(of: "revert \(point)" + (place.map { " \($0)" } ?? "")),
            expectedOutcome: expectedOutcome, isDryRun: isDryRun)
        var target: UInt64?
        let undone = try await serialized(call) { redactions async throws(StoreError) in
            let past = try await history.state(at: point)
            target = past.sequence
            try await history.requireEdge(at: past.sequence)
            let goal = try await goal(place, as: past, from: store.present.state)
            return try await restore(goal, call, redactions)
        }
        if let target { return (undone, target) }
        return (undone, try await history.resolve(point))
    }

    /// Undoes the last change of a path that still has an effect; repeated calls go back further.
    /// - Throws: `nothingToUndo` if the path is as it was when its element was created; `notYourStep`.
    public func undoLastChange(
        of place: Path, origin: UInt32, isForAnyone: Bool = false, key: String? = nil, expectedOutcome: UInt64? = nil,
        isDryRun: Bool = false
    ) async throws(StoreError) -> Undone<App.Command> {
        let call = UndoCall(
            origin: origin, key: key, digest: Self.digest(of: "undo \(place)"), expectedOutcome: expectedOutcome,
            isDryRun: isDryRun)
        return try await serialized(call) { redactions async throws(StoreError) in
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
                let goal = try await goal(place, as: target, from: present.state)
                guard !goal.reversion.isEmpty else {
                    passedBy += 1
                    guard passedBy < HistoryLimits.passedByMax else { throw .nothingLeft(change.step) }
                    through = change.first - 1
                    continue
                }
                guard isForAnyone || change.origin == origin else { throw .notYourStep(change.step, uid: change.origin) }
                return try await restore(goal, call, redactions, steps: [change.step])
            }
        }
    }

    private static func digest(of words: String) -> UInt64 { Checksum.of(Array(words.utf8).span.bytes) }

    private struct Goal {
        var sequence: UInt64
        var reversion: Reversion<App>
        var cancelling: UndoBatch<App>.Cancelling
    }

    /// The path with current positions replaced by element ids.
    private func resolved(_ place: Path, in state: App.State) -> Path {
        var reader = StateReading<App>(state)
        return place.resolved(in: &reader)
    }

    private func isThere(_ place: Path, in state: App.State) -> Bool {
        var reader = StateReading<App>(state)
        if case .nothing = place.read(from: &reader) { return false } else { return true }
    }

    /// The actions that restore everything, or one path, from another state.
    private func goal(_ place: Path?, as target: PastState<App>, from present: App.State) async throws(StoreError) -> Goal {
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
        let reversion = try await history.reversion(from: present, to: wanted)
        return Goal(sequence: target.sequence, reversion: reversion, cancelling: cancelling)
    }

    private func restore(
        _ goal: Goal, _ call: UndoCall, _ redactions: UInt64, steps: [UInt64] = []
    ) async throws(StoreError) -> Undone<App.Command> {
        try await commit(
            goal.reversion, call, restores: goal.sequence, cancelling: goal.cancelling, redactions: redactions, steps: steps)
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
