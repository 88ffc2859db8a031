import Chronicle
import ChronicleLog
import ChronicleStore

/// Folds an altered history, record by record, and tracks its commands, without reading the log.
struct AlteredFold<App: Feature> where App.State: CanonicalCodable, App.Action: CanonicalCodable, App.Command: CanonicalCodable {
    enum Halt {
        /// Commands must be compared with those of the log; the record is folded.
        case asked([App.Command])
        /// The record, or a position after it, needs special treatment, or it requested commands and is left out.
        case unfolded
    }

    let plan: AlterationPlan<App>
    let results: WhatIfQuery<App>.Results
    let origin: UInt32
    /// A state that has assigned all ids of the log.
    let reserved: App.State
    private(set) var sequence: UInt64
    private(set) var time: Int64
    var answer: Alternative<App>
    var names = OpenNames<App.Command>()
    /// Whether the commands that were open at the beginning are among the names.
    var knowsOpen: Bool
    var gone: Set<CommandID> = []
    /// Commands from before the fold whose end is left out, until the names include them.
    var leftOpen: Set<CommandID> = []
    /// The states before and after each run of affected steps, oldest first.
    var runs: [UInt64: [(before: App.State, after: App.State)]] = [:]
    var lastStep: UInt64 = 0
    /// The undo that was recomputed last, and its target.
    var anew: (step: UInt64, undoes: UInt64, isAsLogged: Bool)?
    private var lastPlace = Place(0)

    init(_ plan: AlterationPlan<App>, of question: WhatIfQuery<App>, from past: PastState<App>, to real: PastState<App>) {
        self.plan = plan
        results = question.results
        origin = question.origin
        reserved = real.state
        sequence = past.sequence
        time = past.time
        answer = Alternative(from: past.sequence, to: real.sequence, state: past.state)
        knowsOpen = past.sequence == 0
    }

    /// Folds the next record of the log if it needs no special treatment.
    mutating func take(_ record: HeaderFields, _ action: App.Action?) -> Halt? {
        guard plan.isPlain(record.sequence), record.kind != .edit else { return .unfolded }
        if isSkipped(record) || hasVanished(record) {
            guard record.commandCount == 0 else { return .unfolded }
            leaveOut(record)
            return nil
        }
        if affectedStep(takenBackBy: record) != nil, action != nil { return .unfolded }
        let commands = fold(record, action)
        return commands.isEmpty && record.commandCount == 0 ? nil : .asked(commands)
    }

    /// Handles a special record; `calls` are its logged commands, `undo` the actions of the undo that it begins.
    mutating func handle(
        _ record: HeaderFields, _ action: App.Action?, _ calls: [CommandCall], _ halt: Halt, before: App.State?,
        undo: [App.Action]
    ) throws(StoreError) -> CommandDiff<App> {
        var diff = CommandDiff<App>(place: Place(record.sequence), time: record.time, origin: record.origin)
        if case .asked(let commands) = halt {
            diff.compare(calls, with: commands)
            return diff
        }
        guard case .edited(let edit) = plan.fate(of: record) else {
            if isLeftOut(record) {
                leaveOut(record)
                diff.compare(calls, with: [])
            } else if let undone = affectedStep(takenBackBy: record), let action {
                pass(record)
                diff.compare(calls, with: takeBack(undone, record, action, of: undo))
            } else {
                diff.compare(calls, with: fold(record, action))
            }
            return diff
        }
        pass(record)
        let old = answer.state
        diff.compare(calls, with: try apply(edit, at: record, ids: action == nil ? nil : before.map { ($0, edit.ids) }))
        noteRun(of: record.step, from: old)
        return diff
    }

    /// Folds an inserted action; `prepare` may turn it into several, each with a separate place.
    mutating func insert(_ action: App.Action, alteration: Int, at time: Int64) throws(StoreError) -> [CommandDiff<App>] {
        let context = Context(time: time, origin: origin)
        return append(
            try prepared(action, context, alteration: alteration, ids: nil), context, kind: .inserted, depth: 0)
    }

    mutating func append(
        _ actions: [App.Action], _ context: Context, kind: Alternative<App>.Event.Kind, depth: UInt32
    ) -> [CommandDiff<App>] {
        var diffs: [CommandDiff<App>] = []
        lastStep = 0
        for action in actions {
            let place = nextPlace()
            answer.note(.init(place: place, kind: kind, actions: [action]))
            var diff = CommandDiff<App>(place: place, time: context.time, origin: context.origin, depth: depth)
            diff.compare([], with: App.reduce(&answer.state, action, context))
            diffs.append(diff)
        }
        return diffs
    }

    private mutating func nextPlace() -> Place {
        lastPlace =
            lastPlace.sequence == sequence ? Place(sequence, insertion: lastPlace.insertion + 1) : Place(sequence, insertion: 1)
        return lastPlace
    }

    /// Applies an edited record and returns its commands; all resulting actions have the place of the record.
    private mutating func apply(
        _ edit: AlterationPlan<App>.Edit, at record: HeaderFields, ids: (before: App.State, ids: [UInt64])?
    ) throws(StoreError) -> [App.Command] {
        let context = Context(time: record.time, origin: record.origin)
        let actions = try prepared(edit.action, context, alteration: edit.alteration, ids: ids)
        answer.note(.init(place: Place(record.sequence), kind: .edited, actions: actions))
        return actions.flatMap { App.reduce(&answer.state, $0, context) }
    }

    /// Prepares an action in the altered state; an edited action may reuse the ids of the original, others get new ids.
    private func prepared(
        _ action: App.Action, _ context: Context, alteration: Int, ids: (before: App.State, ids: [UInt64])?
    ) throws(StoreError) -> [App.Action] {
        do throws(Refusal) {
            var state = answer.state
            if let (before, ids) = ids {
                // Reserve the ids of the original history even if earlier records that assigned some are left out.
                App.reserveIDs(of: before, in: &state)
                let actions = try App.prepare(action, state, context)
                if actions.flatMap(App.created).allSatisfy(ids.contains) { return actions }
            }
            App.reserveIDs(of: reserved, in: &state)
            return try App.prepare(action, state, context)
        } catch {
            throw .refusedAlteration(alteration, error)
        }
    }

    private mutating func fold(_ record: HeaderFields, _ action: App.Action?) -> [App.Command] {
        pass(record)
        guard let action else { return [] }
        // Holding the old state makes the reducer copy what it changes, so only affected steps hold it.
        let old = plan.affected.contains(record.step) ? answer.state : nil
        defer { if let old { noteRun(of: record.step, from: old) } else { lastStep = record.step } }
        return App.reduce(&answer.state, action, Context(time: record.time, origin: record.origin))
    }

    private mutating func pass(_ record: HeaderFields) {
        sequence = record.sequence
        time = record.time
        noteEnd(record, isFolded: true)
    }

    func isSkipped(_ record: HeaderFields) -> Bool {
        if case .skipped = plan.fate(of: record) { return true }
        // A skipped step can't be undone, and a skipped undo can't be redone.
        guard let undone = record.undoes else { return false }
        return plan.skips(step: undone) || plan.affected.contains(undone) && runs[undone] == nil
    }

    /// The step that a record undoes, if it differs from the log's; the ends of its commands stay.
    private func affectedStep(takenBackBy record: HeaderFields) -> UInt64? {
        guard !plan.affected.isEmpty, record.kind == .action, let undone = record.undoes else { return nil }
        return plan.affected.contains(undone) ? undone : nil
    }

    private func isLeftOut(_ record: HeaderFields) -> Bool {
        isSkipped(record) || hasVanished(record) || plan.replaced.contains(record.sequence)
    }

    func beginsUndo(_ record: HeaderFields) -> Bool {
        if case .edited = plan.fate(of: record) { return false }
        guard !isLeftOut(record), let undone = affectedStep(takenBackBy: record) else { return false }
        return anew.map { ($0.step, $0.undoes) != (record.step, undone) } ?? true
    }

    private func hasVanished(_ record: HeaderFields) -> Bool {
        guard results == .asked, let cause = record.cause else { return false }
        return gone.contains(cause)
    }

    private mutating func leaveOut(_ record: HeaderFields) {
        sequence = record.sequence
        time = record.time
        if plan.replaced.contains(record.sequence) {
            answer.note(.init(place: Place(record.sequence), kind: .replaced))
        } else if isSkipped(record) {
            answer.skippedCount += 1
            answer.note(.init(place: Place(record.sequence), kind: .skipped))
        } else {
            answer.vanishedCount += 1
            answer.note(.init(place: Place(record.sequence), kind: .vanished))
        }
        noteEnd(record, isFolded: false)
    }

    private mutating func noteEnd(_ record: HeaderFields, isFolded: Bool) {
        guard record.kind == .end, let cause = record.cause else { return }
        names.close(cause, on: isFolded ? .both : .log)
        let isLeftOpen = !isFolded && record.outcome != .superseded
        if isLeftOpen, !knowsOpen, cause.sequence <= answer.from, !gone.contains(cause) { leftOpen.insert(cause) }
        guard !isFolded || gone.contains(cause) else { return }
        if let index = answer.notRun.firstIndex(where: { $0.id == cause }) { answer.notRun[index].outcome = record.outcome }
    }
}
