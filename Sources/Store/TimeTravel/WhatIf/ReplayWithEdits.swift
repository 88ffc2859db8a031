import Chronicle
import ChronicleLog
import ChronicleStore

/// Folds an altered history, record by record, and tracks its commands, without reading the log.
struct ReplayWithEdits<App: Feature>
where App.State: CanonicalCodable, App.Action: CanonicalCodable, App.Command: CanonicalCodable {
    typealias Place = WhatIfResult<App>.Place

    enum Stop {
        /// The record is folded; its commands must be compared with those of the log.
        case requested([App.Command])
        /// The record, or a position after it, needs special treatment, or it requested commands and is left out.
        case unfolded
    }

    let plan: EditPlan<App>
    private let query: WhatIfQuery<App>
    /// A state that has assigned all ids of the log.
    private let reserved: App.State
    private(set) var sequence: UInt64
    private(set) var time: Int64
    var result: WhatIfResult<App>
    var openCommands = OpenCommands<App.Command>()
    /// Whether the commands that were open at the beginning are known.
    var knowsOpen: Bool
    /// Commands whose results vanish.
    var gone: Set<CommandID> = []
    /// Commands from before the replay whose end is left out, until the open commands are known.
    var leftOpen: Set<CommandID> = []
    /// The states before and after each run of affected steps, oldest first.
    private var runs: [UInt64: [(before: App.State, after: App.State)]] = [:]
    private var lastStep: UInt64 = 0
    /// The undo that was recomputed last, and its target.
    private var recomputed: (step: UInt64, undoes: UInt64, isAsLogged: Bool)?
    private var lastPlace = Place(sequence: 0)

    init(_ plan: EditPlan<App>, of query: WhatIfQuery<App>, from past: PastState<App>, to real: PastState<App>) {
        self.plan = plan
        self.query = query
        reserved = real.state
        sequence = past.sequence
        time = past.time
        result = WhatIfResult(from: past.sequence, to: real.sequence, state: past.state)
        knowsOpen = past.sequence == 0
    }

    /// Folds the next record of the log if it needs no special treatment.
    /// - Returns: the reason to stop here; `nil`: continue.
    mutating func take(_ record: HeaderFields, _ action: App.Action?) -> Stop? {
        guard plan.isPlain(record.sequence), record.kind != .edit else { return .unfolded }
        if isSkipped(record) || hasVanished(record) {
            guard record.commandCount == 0 else { return .unfolded }
            leaveOut(record)
            return nil
        }
        if affectedStep(undoneBy: record) != nil, action != nil { return .unfolded }
        let commands = fold(record, action)
        return commands.isEmpty && record.commandCount == 0 ? nil : .requested(commands)
    }

    /// Handles a special record.
    /// - Parameters:
    ///   - calls: its logged commands.
    ///   - before: the state before the batch of an edited record.
    ///   - undo: the actions of the undo that it begins.
    mutating func handle(
        _ record: HeaderFields, _ action: App.Action?, _ calls: [CommandCall], _ stop: Stop, before: App.State?,
        undo: [App.Action]
    ) throws(StoreError) -> RequestDiff<App> {
        let commands: [App.Command]
        if case .requested(let requested) = stop {
            commands = requested
        } else if let edit = plan.edits[record.sequence] {
            pass(record)
            let old = result.state
            commands = try apply(edit, at: record, before: action == nil ? nil : before)
            noteRun(of: record.step, from: old)
        } else if isLeftOut(record) {
            leaveOut(record)
            commands = []
        } else if let undone = affectedStep(undoneBy: record), let action {
            pass(record)
            commands = self.undo(undone, record, action, of: undo)
        } else {
            commands = fold(record, action)
        }
        return RequestDiff(
            calls, commands, place: Place(sequence: record.sequence), time: record.time, origin: record.origin)
    }

    /// Folds an inserted action; `prepare` may turn it into several, each with a separate place.
    mutating func insert(_ insertion: EditPlan<App>.Insertion, at time: Int64) throws(StoreError) -> [RequestDiff<App>] {
        let context = Context(time: time, origin: query.origin)
        return append(try prepared(insertion.action, context, index: insertion.index), context, kind: .inserted, depth: 0)
    }

    mutating func append(
        _ actions: [App.Action], _ context: Context, kind: WhatIfResult<App>.Event.Kind, depth: UInt32
    ) -> [RequestDiff<App>] {
        lastStep = 0
        return actions.map { action in
            lastPlace = Place(sequence: sequence, insertion: lastPlace.sequence == sequence ? lastPlace.insertion + 1 : 1)
            result.note(.init(place: lastPlace, kind: kind, actions: [action]), in: \.events)
            return RequestDiff(
                [], App.reduce(&result.state, action, context), place: lastPlace, time: context.time, origin: context.origin,
                depth: depth)
        }
    }

    /// Applies an edited record and returns its commands; all resulting actions have the place of the record.
    private mutating func apply(
        _ edit: EditPlan<App>.Replacement, at record: HeaderFields, before: App.State?
    ) throws(StoreError) -> [App.Command] {
        let context = Context(time: record.time, origin: record.origin)
        let actions = try prepared(edit.action, context, index: edit.index, before: before, ids: edit.ids)
        return fold(actions, .edited, at: record)
    }

    /// Folds other actions than the log has for a record.
    private mutating func fold(
        _ actions: [App.Action], _ kind: WhatIfResult<App>.Event.Kind, at record: HeaderFields
    ) -> [App.Command] {
        result.note(.init(place: Place(sequence: record.sequence), kind: kind, actions: actions), in: \.events)
        let context = Context(time: record.time, origin: record.origin)
        return actions.flatMap { App.reduce(&result.state, $0, context) }
    }

    /// Prepares an action in the altered state; an edited action may reuse the ids of the original, others get new ids.
    private func prepared(
        _ action: App.Action, _ context: Context, index: Int, before: App.State? = nil, ids: [UInt64] = []
    ) throws(StoreError) -> [App.Action] {
        do throws(Refusal) {
            var state = result.state
            if let before {
                // Reserve the ids of the original history even if earlier records that assigned some are left out.
                App.reserveIDs(of: before, in: &state)
                let actions = try App.prepare(action, state, context)
                if actions.flatMap(App.created).allSatisfy(ids.contains) { return actions }
            }
            App.reserveIDs(of: reserved, in: &state)
            return try App.prepare(action, state, context)
        } catch {
            throw .refusedEdit(index, error)
        }
    }

    private mutating func fold(_ record: HeaderFields, _ action: App.Action?) -> [App.Command] {
        pass(record)
        guard let action else { return [] }
        // Holding the old state makes the reducer copy what it changes, so only affected steps hold it.
        let old = plan.affected.contains(record.step) ? result.state : nil
        defer { if let old { noteRun(of: record.step, from: old) } else { lastStep = record.step } }
        return App.reduce(&result.state, action, Context(time: record.time, origin: record.origin))
    }

    private mutating func pass(_ record: HeaderFields, isFolded: Bool = true) {
        (sequence, time) = (record.sequence, record.time)
        guard record.kind == .end, let cause = record.cause else { return }
        openCommands.close(cause, on: isFolded ? .both : .log)
        let isLeftOpen = !isFolded && record.outcome != .superseded
        if isLeftOpen, !knowsOpen, cause.sequence <= result.from, !gone.contains(cause) { leftOpen.insert(cause) }
        guard !isFolded || gone.contains(cause) else { return }
        if let index = result.notRun.firstIndex(where: { $0.id == cause }) { result.notRun[index].outcome = record.outcome }
    }

    func isSkipped(_ record: HeaderFields) -> Bool {
        if plan.skips(record) { return true }
        // A skipped step can't be undone, and a skipped undo can't be redone.
        guard let undone = record.undoes else { return false }
        return plan.skips(step: undone) || plan.affected.contains(undone) && runs[undone] == nil
    }

    private func hasVanished(_ record: HeaderFields) -> Bool {
        guard !query.keepsResults, let cause = record.cause else { return false }
        return gone.contains(cause)
    }

    private func isLeftOut(_ record: HeaderFields) -> Bool {
        isSkipped(record) || hasVanished(record) || plan.replaced.contains(record.sequence)
    }

    private mutating func leaveOut(_ record: HeaderFields) {
        let kind: WhatIfResult<App>.Event.Kind
        if plan.replaced.contains(record.sequence) {
            kind = .replaced
        } else if isSkipped(record) {
            result.skippedCount += 1
            kind = .skipped
        } else {
            result.vanishedCount += 1
            kind = .vanished
        }
        result.note(.init(place: Place(sequence: record.sequence), kind: kind), in: \.events)
        pass(record, isFolded: false)
    }
}

// Recomputing undos.
extension ReplayWithEdits {
    /// The step that a record undoes, if it differs from the log's; the ends of its commands stay.
    private func affectedStep(undoneBy record: HeaderFields) -> UInt64? {
        guard !plan.affected.isEmpty, record.kind == .action, let undone = record.undoes else { return nil }
        return plan.affected.contains(undone) ? undone : nil
    }

    func beginsUndo(_ record: HeaderFields) -> Bool {
        guard plan.edits[record.sequence] == nil, !isLeftOut(record), let undone = affectedStep(undoneBy: record) else {
            return false
        }
        return recomputed.map { ($0.step, $0.undoes) != (record.step, undone) } ?? true
    }

    /// Records the states around a record if undos of its step are recomputed.
    private mutating func noteRun(of step: UInt64, from old: App.State) {
        defer { lastStep = step }
        guard plan.affected.contains(step) else { return }
        if lastStep == step, let last = runs[step]?.indices.last {
            runs[step]?[last].after = result.state
        } else {
            runs[step, default: []].append((old, result.state))
        }
    }

    /// Recomputes a logged undo whose target differs; if the result differs, the first record replaces all `whole` actions.
    private mutating func undo(
        _ undone: UInt64, _ record: HeaderFields, _ logged: App.Action, of whole: [App.Action]
    ) -> [App.Command] {
        let old = result.state
        defer { noteRun(of: record.step, from: old) }
        var isAsLogged = true
        if let recomputed, (recomputed.step, recomputed.undoes) == (record.step, undone) {
            isAsLogged = recomputed.isAsLogged
            if !isAsLogged {
                result.note(.init(place: Place(sequence: record.sequence), kind: .replaced), in: \.events)
                return []
            }
        } else {
            defer { recomputed = (record.step, undone, isAsLogged) }
            var target = old
            for run in (runs[undone] ?? []).reversed() { target = App.reverted(target, from: run.after, to: run.before).state }
            do throws(StoreError) {
                let actions = try StepPlan<App>.compensatingActions(from: old, to: target)
                isAsLogged = actions.map(\.canonicalBytes) == whole.map(\.canonicalBytes)
                if !isAsLogged { return fold(actions, .anew, at: record) }
            } catch {
                return fold([logged], .outdated, at: record)
            }
        }
        return App.reduce(&result.state, logged, Context(time: record.time, origin: record.origin))
    }
}

/// The commands of a record in the log and in the altered history.
struct RequestDiff<App: Feature> where App.Command: CanonicalCodable {
    let place: WhatIfResult<App>.Place
    let time: Int64
    let origin: UInt32
    /// Number of unlogged ends of commands between this and a record.
    let depth: UInt32
    /// Only in the log.
    private(set) var lost: [(index: Int, call: CommandCall)]
    /// In both.
    private(set) var kept: [(index: Int, command: App.Command)] = []
    /// Only in the altered history.
    private(set) var new: [(index: Int, command: App.Command)] = []

    /// Compares commands by name and arguments, except presentational ones, which no runner executes.
    init(
        _ calls: [CommandCall], _ commands: [App.Command], place: WhatIfResult<App>.Place, time: Int64, origin: UInt32,
        depth: UInt32 = 0
    ) {
        (self.place, self.time, self.origin, self.depth) = (place, time, origin, depth)
        lost = calls.enumerated().filter { !$1.presentational }.map { ($0, $1) }
        for (index, command) in commands.enumerated() where !command.isPresentational {
            let call = CommandCall(command)
            if let match = lost.firstIndex(where: { $0.call == call }) {
                kept.append((lost.remove(at: match).index, command))
            } else {
                new.append((index, command))
            }
        }
    }

    var isEmpty: Bool { lost.isEmpty && kept.isEmpty && new.isEmpty }

    /// Whether it can displace a command in only one of the histories.
    var displacesApart: Bool {
        new.contains { $0.command.policy.cancelID != nil }
            || lost.contains { Self.command(of: $0.call)?.policy.cancelID != nil }
    }

    var displaces: Bool { displacesApart || kept.contains { $0.command.policy.cancelID != nil } }

    static func command(of call: CommandCall) -> App.Command? { try? App.Command(canonical: call.arguments) }
}
