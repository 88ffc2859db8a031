import Chronicle
import ChronicleLog
import Expressions

extension StagedLog {
    /// Notes the changes since a state, and refuses a state that is too large or breaks an invariant which held before.
    /// - Throws: `.stateFull`, `.invariantBroken`; `.invariantTooCostly` if checking takes more than `Limits.judgingStepsMax` steps.
    mutating func checkChanges(from before: App.State, bytesMax: Int) throws(StoreError) {
        try noteChanges(from: before, bytesMax: bytesMax)
        // Last, because the invariants advance to this state and can't be rolled back.
        if invariants.isEmpty { return }
        switch invariants.follow(to: staged.state, changesMax: .max, stepsMax: Limits.judgingStepsMax) {
        case .wentOn: return
        case .changedTooMuch: throw .batchTooLarge
        case .tooCostly(let broken): throw .invariantTooCostly(broken.name)
        case .broken(let broken):
            let changes = App.changes(from: before, to: staged.state, limit: Limits.brokenChangesMax)
            throw .invariantBroken(broken.name, broken.expression.text, changes ?? [])
        }
    }

    func check(_ requirement: Expression) throws(StoreError) {
        var evaluation = requirement.evaluation(in: StateReading<App>(staged.state))
        switch evaluation.advance(steps: Limits.requirementStepsMax) {
        case true?: return
        case false?: throw .requirementBroken(requirement.text)
        case nil: throw .requirementTooLong
        }
    }

    /// Stages the record of an invariant that was evaluated on a recent state.
    /// - Throws: `.outdated` if too much has changed since.
    mutating func accept(
        _ invariant: Invariant, _ checked: InvariantState<App>, at state: App.State
    ) throws(StoreError) -> DispatchResult<App.Command> {
        try checkWritable()
        try pending.checkRoom(in: log, freeBytesMin: options.freeBytesMin)
        let isThere = staged.invariants.contains { $0.name.hasSameBytes(as: invariant.name) }
        guard isThere || staged.invariants.count < Limits.invariantsMax else {
            throw .tooManyInvariants(max: Limits.invariantsMax)
        }
        var judged = InvariantChecker(checked, in: state)
        let outcome = judged.follow(
            to: staged.state, changesMax: Limits.changesMax, stepsMax: Limits.judgingStepsMax, isBinding: false)
        guard case .wentOn = outcome else { throw .outdated }
        for invariant in judged.all { invariants.set(invariant, at: staged.state) }
        return stage(invariant)
    }

    mutating func removeInvariant(_ name: String, by uid: UInt32) throws(StoreError) -> DispatchResult<App.Command> {
        try checkWritable()
        guard staged.invariants.contains(where: { $0.name.hasSameBytes(as: name) }) else { throw .unknownInvariant(name) }
        try pending.checkRoom(in: log, freeBytesMin: options.freeBytesMin)
        invariants.remove(name)
        return stage(Invariant(name: name, text: "", origin: uid))
    }

    private mutating func stage(_ invariant: Invariant) -> DispatchResult<App.Command> {
        let sequence = stageMark(.invariant, by: invariant.origin) {
            Invariant(name: invariant.name, text: invariant.text).encode(into: &$0)
        }
        staged.invariants.apply(invariant, of: sequence, by: invariant.origin)
        pending.flush.headChange.invariants = staged.invariants
        return DispatchResult(epoch: staged.epoch, sequences: sequence..<sequence + 1)
    }
}
