import Chronicle
import ChronicleLog
import ChronicleStore

/// The steps to undo, with all data needed to decide on any state.
struct StepPlan<App: Feature>: Sendable {
    struct Part: Sendable {
        var step: UInt64
        /// Runs of records, newest first.
        var runs: [Run]
        var open: [CommandID]
        var effects: [Undone<App.Command>.Effect]
    }

    /// Consecutive records of a step.
    struct Run: Sendable {
        var last: UInt64
        /// The states before and after the run.
        var before: App.State
        var after: App.State
        /// Scopes that a step outside of the plan overwrote since.
        var overwritten: ScopeSet = []

        var changed: ScopeSet { App.changedScopes(from: before, to: after) }
    }

    var parts: [Part] = []
    var through: UInt64
    /// The result for the state after `through`, computed ahead, so that the commit need not wait for it if nothing else was added.
    private var ahead: (state: App.State, decision: Result<[UndoBatch<App>.Part], StoreError>)?

    init(through: UInt64) { self.through = through }

    var touched: ScopeSet {
        parts.reduce(into: []) { touched, part in
            for run in part.runs { touched.formUnion(run.changed) }
        }
    }

    mutating func decideAhead(on state: App.State, insists: Bool) {
        do throws(StoreError) {
            ahead = (state, .success(try decide(state, state, insists: insists)))
        } catch {
            ahead = (state, .failure(error))
        }
    }

    /// Reverts steps one after another: returns the resulting states and the conflicts.
    static func reverted(_ state: App.State, _ part: Part) -> RevertResult<App.State> {
        var reverted = RevertResult(state)
        for run in part.runs {
            let next = App.reverted(reverted.state, from: run.after, to: run.before)
            if !run.overwritten.isEmpty { reverted.conflicts += conflicts(of: run, in: reverted.state) }
            reverted.state = next.state
            reverted.conflicts += next.conflicts
        }
        return reverted
    }

    private static func conflicts(of run: Run, in state: App.State) -> [Conflict] {
        let names = App.scopes.indices.filter { run.overwritten.contains(ScopeSet(index: $0)) }.map { App.scopes[$0] }
        let (expected, found) = (App.summary(of: run.after), App.summary(of: state))
        return names.filter { name in !names.contains { $0.hasPrefix(name + ".") } }.map { name in
            let path = name.split(separator: ".").map(String.init)
            return Conflict(name, expected: path.reduce(expected) { $0?[$1] }, found: path.reduce(found) { $0?[$1] })
        }
    }

    /// The actions to log on a state.
    func decide(_ before: App.State, _ now: App.State, insists: Bool) throws(StoreError) -> [UndoBatch<App>.Part] {
        if let ahead, App.changedScopes(from: ahead.state, to: before).isEmpty, App.changedScopes(from: before, to: now).isEmpty {
            return try ahead.decision.get()
        }
        // Also revert the results that the cancelled commands reported just now.
        var target = App.reverted(now, from: now, to: before).state
        var current = now
        var conflicts: [Conflict] = []
        var decided: [UndoBatch<App>.Part] = []
        for part in parts {
            let reverted = Self.reverted(target, part)
            target = reverted.state
            conflicts += reverted.conflicts.prefix(HistoryLimits.answersMax - conflicts.count)
            let actions = try Self.compensatingActions(from: current, to: target)
            // Their effects are known only after a fold; requested commands are not followed further.
            if part.step != parts.last?.step {
                for action in actions { _ = App.reduce(&current, action, Context(time: 0, origin: 0)) }
            }
            if !actions.isEmpty { decided.append(UndoBatch<App>.Part(undoes: part.step, actions: actions)) }
        }
        guard conflicts.isEmpty || insists else { throw .conflict(conflicts) }
        return decided
    }

    /// The actions that turn one state into another.
    static func compensatingActions(from present: App.State, to wanted: App.State) throws(StoreError) -> [App.Action] {
        if App.changedScopes(from: present, to: wanted).isEmpty { return [] }
        do throws(Refusal) { return try App.compensatingActions(from: present, to: wanted) } catch {
            throw .refused(error, action: 0)
        }
    }
}
