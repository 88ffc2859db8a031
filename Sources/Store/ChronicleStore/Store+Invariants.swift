public import Chronicle
public import ChronicleLog
public import Expressions

/// An invariant and whether the present state meets it.
public struct StandingInvariant: Sendable {
    /// The invariant.
    public var invariant: Invariant
    /// Whether it holds now; `nil` if this version can't read the condition and so does not check it.
    public var holds: Bool?
}

extension Store {
    /// Adds or replaces an invariant, and waits until that is on disk.
    ///
    /// A later dispatch or undo that would break it is refused with `.invariantBroken`, and a command result that would is parked. An
    /// invariant that does not hold yet is enforced once it holds.
    /// - Parameters:
    ///   - name: a valid name of 1 to `Invariant.nameBytesMax` bytes.
    ///   - expression: a valid expression of at most `Invariant.textBytesMax` bytes for which `Expression.isJudgedByChanges` is true.
    /// - Throws: `.tooManyInvariants`; `.readOnly`, `.storageFull`, `.busy`, `.stopping`.
    @discardableResult
    public nonisolated func setInvariant(
        _ name: String, _ expression: Expression, by uid: UInt32
    ) async throws(StoreError) -> DispatchResult<App.Command> {
        let invariant = Invariant(name: name, text: expression.text, origin: uid)
        for _ in 0..<Limits.invariantAttemptsMax {
            let state = present.state
            let checked = try await queries.admit(.long) { (queries) async throws(StoreError) in
                try await InvariantState<App>(name, expression, at: state, queries)
            }
            do throws(StoreError) {
                return try await perform(for: uid) { store throws(StoreError) in
                    try store.stagedLog.accept(invariant, checked, at: state)
                }
            } catch {
                guard error == .outdated else { throw error }
            }
        }
        throw .busy
    }

    /// Removes an invariant.
    /// - Throws: `.unknownInvariant`, and the errors of `setInvariant`.
    @discardableResult
    public nonisolated func removeInvariant(
        _ name: String, by uid: UInt32
    ) async throws(StoreError) -> DispatchResult<App.Command> {
        try await perform(for: uid) { store throws(StoreError) in try store.stagedLog.removeInvariant(name, by: uid) }
    }

    /// The invariants, in the order in which they were set, and whether the present state meets them.
    public nonisolated func invariants() async throws(StoreError) -> [StandingInvariant] {
        try await queries.admit(.long) { (queries) async throws(StoreError) in
            let present = self.present
            var standing: [StandingInvariant] = []
            for invariant in present.invariants {
                var holds: Bool?
                if let expression = try? Expression(invariant.text, of: App.shape) {
                    var evaluation = expression.evaluation(in: StateReading<App>(present.state))
                    while holds == nil {
                        holds = evaluation.advance(steps: Limits.invariantStepsMax)
                        try await queries.yieldIfNeeded()
                    }
                }
                standing.append(StandingInvariant(invariant: invariant, holds: holds))
            }
            return standing
        }
    }
}
