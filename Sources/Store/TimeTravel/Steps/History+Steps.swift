import Chronicle
import ChronicleLog
import ChronicleStore

extension History {
    /// Finds the steps of a request and their effects as of one head; later records must be handled when the plan is applied.
    func plan(_ choice: UndoChoice, _ call: UndoCall) async throws(StoreError) -> StepPlan<App> {
        try await query { (queries) async throws(StoreError) in try await self.plan(choice, call, queries) }
    }

    private func plan(
        _ choice: UndoChoice, _ call: UndoCall, _ queries: isolated QueryExecutor
    ) async throws(StoreError) -> StepPlan<App> {
        let head = log.head.sequence
        var plan = StepPlan<App>(through: head)
        switch choice {
        case .last(let count):
            try await addLast(count, call, to: &plan, queries)
            if plan.parts.isEmpty { throw .nothingToUndo }
        case .redo(let count):
            try await addUndone(count, call, to: &plan, queries)
            if plan.parts.isEmpty { throw .nothingToRedo }
        case .steps(let steps):
            try await add(steps, call, to: &plan, queries)
        }
        try await checkMergesAgain(plan, queries)
        if plan.parts.allSatisfy(\.open.isEmpty) {
            plan.decideAhead(on: try await present(head, queries), insists: call.insists)
        }
        return plan
    }

    /// The actions from a state back to an earlier one, computed on the query thread.
    func reversion(from present: App.State, to target: App.State) async throws(StoreError) -> Reversion<App> {
        try await query { (_) async throws(StoreError) in try Reversion(from: present, to: target) }
    }

    /// Adds the last active steps that can be undone, except those that only made queries.
    private func addLast(
        _ count: Int, _ call: UndoCall, to plan: inout StepPlan<App>, _ queries: isolated QueryExecutor
    ) async throws(StoreError) {
        var state = try await present(plan.through, queries)
        var found: [StepScan.Step] = []
        var known: [UInt64: Bool] = [:]
        let last = try await scan(interest(of: call), through: plan.through, queries) { step, scan throws(StoreError) in
            if scan.isUndone(step.number) || scan.redone.contains(step.number) { return true }
            // Undoing a redo also undoes the effects of its new commands.
            guard step.undoes.isEmpty ? step.hasOrder : try await self.isUndo(step.number, &known, queries) == false else {
                return true
            }
            found.append(step)
            guard plan.parts.count + found.count == count else { return true }
            state = try await self.add(found, scan, to: &plan, on: state, queries)
            found = []
            return plan.parts.count < count
        }
        _ = try await add(found, last, to: &plan, on: state, queries)
    }

    /// Adds the steps that have an effect on a state; returns the state without them.
    private func add(
        _ steps: [StepScan.Step], _ scan: StepScan, to plan: inout StepPlan<App>, on state: App.State,
        _ queries: isolated QueryExecutor
    ) async throws(StoreError) -> App.State {
        var state = state
        for part in try await parts(of: steps, besides: plan.parts, scan, queries) {
            let reverted = StepPlan<App>.reverted(state, part)
            // Skip steps without remaining effect, such as opening a page.
            let isNothing = App.changedScopes(from: state, to: reverted.state).isEmpty && reverted.conflicts.isEmpty
            if isNothing, part.open.isEmpty { continue }
            state = reverted.state
            plan.parts.append(part)
        }
        return state
    }

    /// Adds the last undos to redo, up to the first new step.
    private func addUndone(
        _ count: Int, _ call: UndoCall, to plan: inout StepPlan<App>, _ queries: isolated QueryExecutor
    ) async throws(StoreError) {
        // Steps whose status differs from the log's once the plan is applied.
        var turned: Set<UInt64> = []
        var known: [UInt64: Bool] = [:]
        var found: [StepScan.Step] = []
        let last = try await scan(interest(of: call), through: plan.through, queries) { step, scan throws(StoreError) in
            // A new step ends redo, even if it was undone since; edits and queries don't count as new.
            if step.undoes.isEmpty { return !step.hasOrder }
            let isTurned = turned.contains(step.number)
            let stands = scan.isUndone(step.number) == isTurned
            let isUndo = try await self.isUndo(step.number, &known, queries)
            let isWanted = stands && isUndo == true
            // Undoing an undo makes its target active again, and vice versa.
            if isWanted != isTurned { turned.formSymmetricDifference(step.undoes) }
            guard isWanted else { return true }
            found.append(step)
            return found.count < count
        }
        plan.parts = try await parts(of: found, last, queries)
    }

    /// Adds steps by number, newest first.
    private func add(
        _ numbers: [UInt64], _ call: UndoCall, to plan: inout StepPlan<App>, _ queries: isolated QueryExecutor
    ) async throws(StoreError) {
        var rest: Set<UInt64> = []
        for number in numbers {
            guard number > 0, number <= plan.through else { throw .unknownStep(number) }
            guard number > base.sequence else { throw .pruned(base: base.sequence) }
            let header = try record(at: number).header
            guard header.step > base.sequence else { throw .pruned(base: base.sequence) }
            rest.insert(header.step)
        }
        let wanted = rest
        var redos = Redos()
        var found: [StepScan.Step] = []
        let isOfInterest: @Sendable (HeaderFields) -> Bool = { $0.kind == .action || $0.kind == .end || wanted.contains($0.step) }
        let last = try await scan(isOfInterest, through: plan.through, queries) { seen, scan throws(StoreError) in
            redos.pass(seen, scan)
            guard rest.remove(seen.number) != nil else { return true }
            let step = scan.redone.contains(seen.number) ? redos.standing(for: seen) : seen
            guard step.isFolded else { throw .unknownStep(step.number) }
            if let undoing = scan.undoing(step.number) { throw .alreadyUndone(step.number, by: undoing) }
            guard call.isForAnyone || step.origin == call.origin else {
                throw .notYourStep(step.number, uid: step.origin)
            }
            if !found.contains(where: { $0.number == step.number }) { found.append(step) }
            return !rest.isEmpty
        }
        if let missing = rest.first { throw .unknownStep(missing) }
        plan.parts = try await parts(of: found, last, queries).sorted { $0.step > $1.step }
        let state = try await present(plan.through, queries)
        if plan.parts.count == 1, let part = plan.parts.first, part.open.isEmpty {
            let reverted = StepPlan<App>.reverted(state, part)
            if reverted.conflicts.isEmpty, App.changedScopes(from: state, to: reverted.state).isEmpty {
                throw .nothingLeft(part.step)
            }
        }
    }

    private func interest(of call: UndoCall) -> @Sendable (HeaderFields) -> Bool {
        { [uid = call.origin, isForAnyone = call.isForAnyone] in
            ($0.kind == .action || $0.kind == .end) && (isForAnyone || $0.origin == uid)
        }
    }

    /// Whether a step is an undo rather than a redo; `nil` if that is unknown after a compaction.
    /// - Parameter known: earlier results; repeated undo and redo creates long chains.
    private func isUndo(
        _ step: UInt64, _ known: inout [UInt64: Bool], _ queries: isolated QueryExecutor
    ) async throws(StoreError) -> Bool? {
        var (next, chain, isUndo): (UInt64, [UInt64], Bool?) = (step, [], nil)
        while next > base.sequence {
            isUndo = known[next]
            if isUndo != nil { break }
            chain.append(next)
            let undone = try record(at: next).header.undoes
            guard let undone, undone < next else {
                isUndo = false
                known[chain.removeLast()] = false
                break
            }
            next = undone
            try await queries.yieldIfNeeded()
        }
        guard var isUndoing = isUndo else { return nil }
        for step in chain.reversed() {
            isUndoing.toggle()
            known[step] = isUndoing
        }
        return isUndoing
    }

    private func present(_ head: UInt64, _ queries: isolated QueryExecutor) async throws(StoreError) -> App.State {
        return try await past(at: head, queries).state
    }

    /// Scans the log backwards and passes each complete step of interest to the closure, until it returns `false`; returns the scan.
    private func scan(
        _ isOfInterest: @escaping @Sendable (HeaderFields) -> Bool, through head: UInt64, _ queries: isolated QueryExecutor,
        _ body: (StepScan.Step, StepScan) async throws(StoreError) -> Bool
    ) async throws(StoreError) -> StepScan {
        var scan = StepScan(of: isOfInterest)
        try await walkBack(from: head, downTo: base.sequence, queries) { record, action in
            let overwrites = action.map { App.overwrittenScopes(by: $0, restores: record.restores != nil) } ?? []
            return (record, self.wanted(record, action), overwrites)
        } _: { (record, kind, overwrites) async throws(StoreError) in
            guard let step = scan.take(record, wanting: kind, overwriting: overwrites) else { return true }
            try await queries.yieldIfNeeded()
            return try await body(step, scan)
        }
        return scan
    }

    /// The kind of a record's action; `nil` for results of commands; restores and merges are commands.
    func wanted(_ record: HeaderFields, _ action: App.Action?) -> ActionKind? {
        guard record.kind == .action, record.cause == nil else { return nil }
        let kind = action.map(App.kind) ?? .command
        return kind == .query && (record.restores != nil || record.isMerge) ? .command : kind
    }
}

/// Tracks, while scanning a log backwards, which steps redid which.
private struct Redos {
    // By the step that they undid, if it is only one.
    private var steps: [UInt64: StepScan.Step] = [:]

    mutating func pass(_ step: StepScan.Step, _ scan: StepScan) {
        guard step.undoes.count == 1, let undone = step.undoes.first else { return }
        if !scan.isUndone(step.number) {
            steps[undone] = standing(for: step)
        } else if let redo = steps[step.number] {
            steps[undone] = redo
        }
    }

    /// The last step that redid it alone; otherwise the step itself.
    func standing(for step: StepScan.Step) -> StepScan.Step { steps[step.number] ?? step }
}
