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

extension History {
    /// Reads the effects of steps in one pass, so that the states before and after share unchanged parts.
    /// - Parameter others: the steps that are undone together with them.
    func parts(
        of steps: [StepScan.Step], besides others: [StepPlan<App>.Part] = [], _ scan: StepScan, _ queries: isolated QueryExecutor
    ) async throws(StoreError) -> [StepPlan<App>.Part] {
        guard steps.allSatisfy({ $0.runs.count <= HistoryLimits.stepRunsMax }) else { throw .answerTooLarge }
        var parts = steps.map { StepPlan<App>.Part(step: $0.number, runs: [], open: [], effects: []) }
        var askers: [[UInt64]] = steps.map { _ in [] }
        var outcomes: [[CommandID: CommandOutcome]] = steps.map { _ in [:] }
        try await fold(steps, queries) { index, record in
            if record.commandCount > 0 { askers[index].append(record.sequence) }
            if record.kind == .end, let command = record.cause { outcomes[index][command] = record.outcome }
        } run: { index, run in
            parts[index].runs.insert(run, at: 0)
        }
        let rows = try StoreError.reading { () throws(ActionLogError) in try log.outbox() }
        let tried = Set(rows.filter { $0.attempts > 0 }.map(\.id))
        for index in parts.indices {
            for asker in askers[index] {
                for (id, command) in try commands(askedBy: asker) where !scan.cancelled.contains(id) {
                    let outcome = outcomes[index][id]
                    if outcome == nil { parts[index].open.append(id) }
                    guard command.leavesTrace, outcome == .result || outcome == nil && tried.contains(id) else { continue }
                    parts[index].effects.append(.init(id: id, command: command, isCertain: outcome == .result))
                }
            }
        }
        let planned = Set(others.map(\.step)).union(parts.map(\.step))
        try await note(scan.overwrites.filter { !planned.contains($0.step) }, in: &parts, queries)
        return parts
    }

    /// Marks what later records overwrote; the overwrites are given newest first.
    private func note(
        _ overwrites: [StepScan.Overwrite], in parts: inout [StepPlan<App>.Part], _ queries: isolated QueryExecutor
    ) async throws(StoreError) {
        guard !overwrites.isEmpty else { return }
        var rest = parts.indices.flatMap { part in
            parts[part].runs.enumerated().map { (part: part, run: $0.offset, last: $0.element.last, scopes: $0.element.changed) }
        }
        var looks = 0
        for overwrite in overwrites {
            // Records after this one also come after all remaining ones.
            rest.removeAll { $0.last > overwrite.sequence }
            guard rest.contains(where: { $0.last > overwrite.after && !$0.scopes.isDisjoint(with: overwrite.scopes) }) else {
                continue
            }
            // An overwrite without effect is ignored. Checking needs a past state, so only a few are checked.
            if looks < HistoryLimits.pastsMax {
                looks += 1
                var past = try await past(at: overwrite.sequence - 1, queries)
                let before = past.state
                try await fold(&past, through: overwrite.sequence, queries)
                guard !App.changedScopes(from: before, to: past.state).isDisjoint(with: overwrite.scopes) else { continue }
            }
            for index in rest.indices where rest[index].last > overwrite.after {
                let scopes = rest[index].scopes.intersection(overwrite.scopes)
                parts[rest[index].part].runs[rest[index].run].overwritten.formUnion(scopes)
                rest[index].scopes.subtract(scopes)
            }
            rest.removeAll { $0.scopes.isEmpty }
        }
    }

    /// Folds the runs of steps, and passes each record with the index of its step.
    private func fold(
        _ steps: [StepScan.Step], _ queries: isolated QueryExecutor, _ visit: (Int, HeaderFields) -> Void,
        run: (Int, StepPlan<App>.Run) -> Void
    ) async throws(StoreError) {
        let runs = steps.enumerated().flatMap { index, step in step.runs.map { (records: $0, step: index) } }
            .sorted { $0.records.lowerBound < $1.records.lowerBound }
        guard let first = runs.first else { return }
        var past = try await past(at: first.records.lowerBound - 1, queries)
        var (loads, loadedBytes) = (0, UInt64(0))
        for (records, step) in runs {
            let start = records.lowerBound - 1
            // A loaded state shares nothing with the previous one, so limit the number of loads.
            if start - past.sequence > HistoryLimits.shortFoldRecords, loads < HistoryLimits.pastsMax,
                loadedBytes + past.bytes <= HistoryLimits.loadedBytesMax
            {
                past = try await self.past(at: start, queries)
                loads += 1
                loadedBytes += past.bytes
            }
            try await fold(&past, through: start, queries)
            let before = past.state
            try await scan(&past, through: records.upperBound, queries) { _, record in visit(step, record) }
            run(step, StepPlan<App>.Run(last: records.upperBound, before: before, after: past.state))
        }
    }

    /// The commands that a record put into the outbox, as far as this version can read them.
    private func commands(askedBy sequence: UInt64) throws(StoreError) -> [(id: CommandID, command: App.Command)] {
        try record(at: sequence).header.commands.enumerated().compactMap { index, call in
            guard !call.presentational, let command = try? App.Command(canonical: call.arguments),
                !command.policy.isCancellation
            else { return nil }
            return (CommandID(sequence: sequence, index: UInt32(index)), command)
        }
    }
}
