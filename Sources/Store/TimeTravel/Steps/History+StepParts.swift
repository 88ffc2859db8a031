import Chronicle
import ChronicleLog
import ChronicleStore

extension History {
    /// Reads the effects of steps in one pass, so that the states before and after share unchanged parts.
    /// - Parameter others: the steps that are undone together with them.
    func parts(
        of steps: [StepScan.Step], besides others: [StepPlan<App>.Part] = [], _ scan: StepScan, _ queries: isolated QueryExecutor
    ) async throws(StoreError) -> [StepPlan<App>.Part] {
        guard steps.allSatisfy({ $0.runs.count <= HistoryLimits.stepRunsMax }) else { throw .answerTooLarge }
        var traces = steps.map { _ in StepTrace<App>() }
        try await trace(steps, into: &traces, queries)
        let rows = try StoreError.reading { () throws(ActionLogError) in try log.outbox() }
        let tried = Set(rows.filter { $0.attempts > 0 }.map(\.id))
        var parts: [StepPlan<App>.Part] = []
        for (step, trace) in zip(steps, traces) {
            let runs = zip(step.runs, trace.runs.reversed()).map { records, states in
                StepPlan<App>.Run(last: records.upperBound, before: states.before, after: states.after)
            }
            var part = StepPlan<App>.Part(step: step.number, runs: runs, open: [], effects: [])
            for asker in trace.askers {
                for (id, command) in try commands(askedBy: asker) where !scan.cancelled.contains(id) {
                    trace.add(command, id, wasTried: tried.contains(id), to: &part)
                }
            }
            parts.append(part)
        }
        let planned = Set(others.map(\.step)).union(parts.map(\.step))
        try await note(scan.overwrites.standing.filter { !planned.contains($0.step) }, in: &parts, queries)
        return parts
    }

    /// Marks what later records overwrote; the overwrites are given newest first.
    private func note(
        _ overwrites: [Overwrites.Overwrite], in parts: inout [StepPlan<App>.Part], _ queries: isolated QueryExecutor
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

    private func trace(
        _ steps: [StepScan.Step], into traces: inout [StepTrace<App>], _ queries: isolated QueryExecutor
    ) async throws(StoreError) {
        let runs = steps.enumerated().flatMap { index, step in step.runs.map { (run: $0, step: index) } }
            .sorted { $0.run.lowerBound < $1.run.lowerBound }
        guard let first = runs.first else { return }
        var past = try await past(at: first.run.lowerBound - 1, queries)
        var (loads, loadedBytes) = (0, UInt64(0))
        for (run, step) in runs {
            let start = run.lowerBound - 1
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
            while past.sequence < run.upperBound {
                try foldSlice(&past, through: run.upperBound) { _, record in
                    traces[step].note(record)
                    return true
                }
                try await queries.yieldIfNeeded()
            }
            traces[step].runs.append((before, past.state))
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

/// Collects the effects of a step during a fold.
private struct StepTrace<App: Feature> {
    /// The states before and after each run, in order.
    var runs: [(before: App.State, after: App.State)] = []
    private(set) var askers: [UInt64] = []
    private var outcomes: [CommandID: CommandOutcome] = [:]

    mutating func note(_ record: HeaderFields) {
        if record.commandCount > 0 { askers.append(record.sequence) }
        if record.kind == .end, let command = record.cause { outcomes[command] = record.outcome }
    }

    /// Adds a command of the step if it is open or had external effects.
    func add(_ command: App.Command, _ id: CommandID, wasTried: Bool, to part: inout StepPlan<App>.Part) {
        if let outcome = outcomes[id] {
            if outcome == .result, command.leavesTrace { part.effects.append(.init(id: id, command: command, isCertain: true)) }
            return
        }
        part.open.append(id)
        if command.leavesTrace, wasTried { part.effects.append(.init(id: id, command: command, isCertain: false)) }
    }
}
