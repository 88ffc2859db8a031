import Records
import Reducing
import StoreRuntime

/// The steps that are to be taken back, and what must be known of them to decide on any state what that means.
struct StepPlan<App: Feature>: Sendable {
    /// One step.
    struct Part: Sendable {
        var step: UInt64
        /// What each run of its records made of the state, the last first.
        var runs: [(before: App.State, after: App.State)]
        /// Its commands that are open.
        var open: [CommandID]
        /// What it did out there.
        var effects: [Undone<App.Command>.Effect]
    }

    /// The steps, the newest first.
    var parts: [Part] = []
    /// The last record that was looked at.
    var through: UInt64
    /// What is to be logged on the state of that record: so that nobody waits for it in line if nothing else has come.
    private var ahead: (state: App.State, decision: Result<[Compensation<App>.Part], StoreError>)?

    init(through: UInt64) { self.through = through }

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
            takenBack.state = next.state
            takenBack.conflicts += next.conflicts
        }
        return takenBack
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
