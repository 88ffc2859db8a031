public import Expressions
import Records
public import Reducing
public import StoreRuntime

extension Undoer {
    /// Goes back to how everything, or one place, was at a point, as one step.
    ///
    /// Whatever came later is taken back; what of it is still under way is cancelled: of everything or of a feature all that was asked for
    /// later, of a smaller place nothing.
    /// - Parameters:
    ///   - place: `nil`: everything. A position in it means the element that stands there now.
    ///   - expectedOutcome: what a dry run said that it comes to.
    ///   - isDryRun: whether it is only tried out; the answer's changes are then what would differ.
    /// - Throws: `noSuchPlace` where no such place can be put back by itself; `withinChange`.
    public func revert(
        _ place: Path? = nil, to point: Point, origin: UInt32, key: String? = nil, expectedOutcome: UInt64? = nil,
        isDryRun: Bool = false
    ) async throws(StoreError) -> (undone: Undone<App.Command>, target: UInt64) {
        // Which moment a point means may change from one attempt to the next, so the key stands for the uid's wish alone.
        let wish = Wish(
            origin: origin, key: key, of: "revert \(point)" + (place.map { " \($0)" } ?? ""), expectedOutcome, isDryRun: isDryRun)
        return try await unovertaken(origin, isDryRun) { () async throws(StoreError) in
            let redactions = history.redactions
            let target = try await history.state(at: point)
            if let first = try await earlierAnswer(to: key, of: origin, digest: wish.digest) { return (first, target.sequence) }
            try await history.requireEdge(at: target.sequence)
            let goal = try await goal(place, as: target, from: store.present.state)
            return (try await putBack(goal, wish, redactions), target.sequence)
        }
    }

    /// Takes back what the last change of a place did there, and nothing else; asked again, what the one before did.
    ///
    /// What put the place back, or undid what changed it, is passed by together with what it took back; and so is what nothing is left of,
    /// or can't be put back, as that a reminder was given.
    /// - Throws: `nothingToUndo` where the place is as it was when its element came; `notYourStep`.
    public func undoLastChange(
        of place: Path, origin: UInt32, isForAnyone: Bool = false, key: String? = nil, expectedOutcome: UInt64? = nil,
        isDryRun: Bool = false
    ) async throws(StoreError) -> Undone<App.Command> {
        let wish = Wish(origin: origin, key: key, of: "undo \(place)", expectedOutcome, isDryRun: isDryRun)
        if let first = try await earlierAnswer(to: key, of: origin, digest: wish.digest) { return first }
        return try await unovertaken(origin, isDryRun) { () async throws(StoreError) in
            let redactions = history.redactions
            // What comes from here on is seen in line.
            let present = store.present
            let place = resolved(place, in: present.state)
            var through = present.sequence
            var passedBy = 0
            while true {
                let change = try await history.lastChange(of: place, through: through)
                let target = try await history.state(at: .sequence(change.first - 1))
                // It came with its element, for the first time or again, and is as it was then.
                if let element = place.element, !isThere(element, in: target.state) { throw .nothingToUndo }
                let goal = try await goal(place, as: target, from: present.state)
                guard !goal.reversion.isEmpty else {
                    passedBy += 1
                    guard passedBy < HistoryLimits.passedByMax else { throw .nothingLeft(change.step) }
                    through = change.first - 1
                    continue
                }
                guard isForAnyone || change.origin == origin else { throw .notYourStep(change.step, uid: change.origin) }
                var undone = try await putBack(goal, wish, redactions)
                undone.steps = [change.step]
                // Somebody else has put it back meanwhile.
                if undone.answer.sequences.isEmpty, !isDryRun, !undone.answer.isDuplicate { throw .nothingLeft(change.step) }
                return undone
            }
        }
    }

    /// A moment to go back to, with what leads there.
    private struct Goal {
        var sequence: UInt64
        var reversion: Reversion<App>
        var cancelling: Compensation<App>.Cancelling
    }

    /// What somebody wants, and the key that it is known by.
    private struct Wish {
        var origin: UInt32
        var key: String?
        var digest: UInt64
        var expectedOutcome: UInt64?
        var isDryRun: Bool

        init(origin: UInt32, key: String?, of words: String, _ expectedOutcome: UInt64?, isDryRun: Bool) {
            self.origin = origin
            self.key = key
            self.expectedOutcome = expectedOutcome
            self.isDryRun = isDryRun
            digest = Checksum.of(Array(words.utf8).span.bytes)
        }
    }

    /// The same place with the ids of the elements that it names by where they stand now.
    private func resolved(_ place: Path, in state: App.State) -> Path {
        var reader = StateReading<App>(state)
        return place.resolved(in: &reader)
    }

    private func isThere(_ place: Path, in state: App.State) -> Bool {
        var reader = StateReading<App>(state)
        if case .nothing = place.read(from: &reader) { return false } else { return true }
    }

    /// How everything, or one place, comes to be as it was in another state.
    private func goal(
        _ place: Path?, as target: PastState<App>, from present: App.State
    ) async throws(StoreError) -> Goal {
        var (wanted, cancelling) = (target.state, Compensation<App>.Cancelling.askedAfter(target.sequence))
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

    private func putBack(_ goal: Goal, _ wish: Wish, _ redactions: UInt64) async throws(StoreError) -> Undone<App.Command> {
        let compensation = Compensation<App>(
            origin: wish.origin, key: wish.key, digest: wish.digest, cancelling: goal.cancelling, redactions: redactions,
            expectedOutcome: wish.expectedOutcome, purpose: wish.isDryRun ? .dryRun : .log
        ) { before, now throws(StoreError) in
            let actions = try goal.reversion.decide(before, now)
            return actions.isEmpty ? [] : [.init(undoes: nil, restores: goal.sequence, actions: actions)]
        }
        let answer = try await store.compensate(compensation)
        return Undone(answer: answer, step: answer.sequences.isEmpty ? 0 : answer.sequences.lowerBound)
    }
}

extension Path {
    /// The element that this is a field of; `nil` of what is none.
    fileprivate var element: Path? {
        let end = steps.lastIndex { if case .id = $0 { true } else { false } }
        guard let end, end < steps.count - 1 else { return nil }
        return Path(Array(steps[...end]))
    }

    /// The same place for a feature; `nil` where it names an element by a position, or by what no id can be.
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
