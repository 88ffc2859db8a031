import Chronicle
import ChronicleLog
import ChronicleStore

extension AlteredFold {
    /// Records the states around a record if undos of its step are recomputed.
    mutating func noteRun(of step: UInt64, from old: App.State) {
        defer { lastStep = step }
        guard plan.affected.contains(step) else { return }
        if lastStep == step, let last = runs[step]?.indices.last {
            runs[step]?[last].after = answer.state
        } else {
            runs[step, default: []].append((old, answer.state))
        }
    }

    /// Recomputes a logged undo whose target differs; if the result differs, the first record replaces all `whole` actions.
    mutating func takeBack(
        _ undone: UInt64, _ record: HeaderFields, _ logged: App.Action, of whole: [App.Action]
    ) -> [App.Command] {
        let (context, old) = (Context(time: record.time, origin: record.origin), answer.state)
        defer { noteRun(of: record.step, from: old) }
        if let anew, (anew.step, anew.undoes) == (record.step, undone) {
            if anew.isAsLogged { return App.reduce(&answer.state, logged, context) }
            answer.note(.init(place: Place(record.sequence), kind: .replaced))
            return []
        }
        var target = answer.state
        for run in (runs[undone] ?? []).reversed() { target = App.reverted(target, from: run.after, to: run.before).state }
        do throws(StoreError) {
            let actions = try StepPlan<App>.compensatingActions(from: answer.state, to: target)
            let isAsLogged = actions.map(\.canonicalBytes) == whole.map(\.canonicalBytes)
            anew = (record.step, undone, isAsLogged)
            if isAsLogged { return App.reduce(&answer.state, logged, context) }
            answer.note(.init(place: Place(record.sequence), kind: .anew, actions: actions))
            return actions.flatMap { App.reduce(&answer.state, $0, context) }
        } catch {
            anew = (record.step, undone, true)
            answer.note(.init(place: Place(record.sequence), kind: .outdated, actions: [logged]))
            return App.reduce(&answer.state, logged, context)
        }
    }
}
