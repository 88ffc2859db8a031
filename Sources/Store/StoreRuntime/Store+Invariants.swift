public import Expressions
public import Records
public import Reducing

/// A condition that every state must meet, and whether the present one does.
public struct StandingInvariant: Sendable {
    /// The condition.
    public var invariant: Invariant
    /// Whether it holds now; `nil`: this version can't read the condition, and nothing is judged by it.
    public var holds: Bool?
}

extension Store {
    /// Sets a condition that every state must meet from now on, in the place of the one of its name, and waits until that is on disk.
    ///
    /// From then on a dispatch, or what is taken back, that would break it is refused with `.invariantBroken`, and what a command
    /// brings is parked. One that does not hold now is set as well: it is kept once it holds.
    /// - Parameters:
    ///   - name: 1 to `Invariant.nameBytesMax` bytes, which the caller has checked.
    ///   - expression: of at most `Invariant.textBytesMax` bytes, which the caller has checked, and one that can be judged from what
    ///     changes (`Expression.isJudgedByChanges`).
    /// - Throws: `.tooManyInvariants` for a further name; `.readOnly`, `.storageFull`, `.busy`, `.stopping`.
    @discardableResult
    public nonisolated func setInvariant(
        _ name: String, _ expression: Expression, by uid: UInt32
    ) async throws(StoreError) -> Acknowledgement<App.Command> {
        let invariant = Invariant(name: name, text: expression.text, origin: uid)
        for _ in 0..<Limits.invariantAttemptsMax {
            let state = present.state
            let judge = try await queries.admit(.long) { (queries) async throws(StoreError) in
                try await Judge<App>(name, expression, at: state, queries)
            }
            do throws(StoreError) {
                return try await perform(for: uid) { store throws(StoreError) in
                    try store.stagedLog.accept(invariant, judge, at: state)
                }
            } catch {
                guard error == .wentOn else { throw error }
            }
        }
        throw .busy
    }

    /// Takes a condition away.
    ///
    /// - Throws: `.unknownInvariant`; else as `setInvariant`.
    @discardableResult
    public nonisolated func removeInvariant(
        _ name: String, by uid: UInt32
    ) async throws(StoreError) -> Acknowledgement<App.Command> {
        try await perform(for: uid) { store throws(StoreError) in try store.stagedLog.removeInvariant(name, by: uid) }
    }

    /// The conditions that every state must meet, in the order in which they were set, and whether the present one does.
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
