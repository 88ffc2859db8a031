import Records
import Reducing
import StoreRuntime

/// The steps that are to be taken back, and what must be known of them to decide on any state what that means.
struct StepPlan<App: Feature>: Sendable {
    /// One step.
    struct Part: Sendable {
        var step: UInt64
        /// Its runs of records, the last first.
        var runs: [Run]
        var open: [CommandID]
        /// What it did out there.
        var effects: [Undone<App.Command>.Effect]
    }

    /// Records of a step without others between them.
    struct Run: Sendable {
        var last: UInt64
        /// What they made of the state.
        var before: App.State
        var after: App.State
        /// What of that was wiped since, by a step that is not taken back as well.
        var wiped: ScopeSet = []

        var changed: ScopeSet { App.changedScopes(from: before, to: after) }
    }

    /// The steps, the newest first.
    var parts: [Part] = []
    /// The last record that was looked at.
    var through: UInt64
    /// What is to be logged on the state of that record: so that nobody waits for it in line if nothing else has come.
    private var ahead: (state: App.State, decision: Result<[Compensation<App>.Part], StoreError>)?

    init(through: UInt64) { self.through = through }

    /// What the steps changed.
    var touched: ScopeSet {
        parts.reduce(into: []) { touched, part in
            for run in part.runs { touched.formUnion(run.changed) }
        }
    }

    /// Decides for a state in advance.
    mutating func decideAhead(on state: App.State, insists: Bool) {
        do throws(StoreError) {
            ahead = (state, .success(try decide(state, state, insists: insists)))
        } catch {
            ahead = (state, .failure(error))
        }
    }

    /// Takes the steps back one after another: the state after each, and what has changed since.
    static func takenBack(_ state: App.State, _ part: Part) -> TakenBack<App.State> {
        var takenBack = TakenBack(state)
        for run in part.runs {
            let next = App.takenBack(takenBack.state, from: run.after, to: run.before)
            if !run.wiped.isEmpty { takenBack.conflicts += conflicts(of: run, in: takenBack.state) }
            takenBack.state = next.state
            takenBack.conflicts += next.conflicts
        }
        return takenBack
    }

    /// That what a run gave to some scopes was wiped.
    private static func conflicts(of run: Run, in state: App.State) -> [Conflict] {
        let names = App.scopes.indices.filter { run.wiped.contains(ScopeSet(index: $0)) }.map { App.scopes[$0] }
        let (expected, found) = (App.summary(of: run.after), App.summary(of: state))
        return names.filter { name in !names.contains { $0.hasPrefix(name + ".") } }.map { name in
            let path = name.split(separator: ".").map(String.init)
            return Conflict(name, expected: path.reduce(expected) { $0?[$1] }, found: path.reduce(found) { $0?[$1] })
        }
    }

    /// What is to be logged on a state.
    func decide(
        _ before: App.State, _ now: App.State, insists: Bool
    ) throws(StoreError) -> [Compensation<App>.Part] {
        if let ahead, App.changedScopes(from: ahead.state, to: before).isEmpty,
            App.changedScopes(from: before, to: now).isEmpty
        {
            return try ahead.decision.get()
        }
        // What the cancelled commands said just now is taken back with them.
        var target = App.takenBack(now, from: now, to: before).state
        var current = now
        var conflicts: [Conflict] = []
        var decided: [Compensation<App>.Part] = []
        for part in parts {
            let takenBack = Self.takenBack(target, part)
            target = takenBack.state
            conflicts += takenBack.conflicts.prefix(HistoryLimits.answersMax - conflicts.count)
            let actions = try Self.compensation(from: current, to: target)
            // The fold alone knows where they lead; of requests, no further than that they are made.
            if part.step != parts.last?.step {
                for action in actions { _ = App.reduce(&current, action, Context(time: 0, origin: 0)) }
            }
            if !actions.isEmpty { decided.append(Compensation<App>.Part(undoes: part.step, actions: actions)) }
        }
        guard conflicts.isEmpty || insists else { throw .conflict(conflicts) }
        return decided
    }

    /// What leads from a state to another.
    static func compensation(from present: App.State, to wanted: App.State) throws(StoreError) -> [App.Action] {
        if App.changedScopes(from: present, to: wanted).isEmpty { return [] }
        do throws(Refusal) { return try App.compensation(from: present, to: wanted) } catch {
            throw .refused(error, action: 0)
        }
    }
}
