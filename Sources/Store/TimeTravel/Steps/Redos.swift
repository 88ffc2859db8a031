/// Which step stands in for one that was taken back and done again, while a log is walked through from its end.
struct Redos {
    // By what they took back, where that was one step alone.
    private var steps: [UInt64: StepScan.Step] = [:]

    /// Takes in a step that took something back.
    mutating func pass(_ step: StepScan.Step, _ scan: StepScan) {
        guard step.undoes.count == 1, let undone = step.undoes.first else { return }
        if !scan.isTakenBack(step.number) {
            steps[undone] = standing(for: step)
        } else if let redo = steps[step.number] {
            steps[undone] = redo
        }
    }

    /// The step that did it again last; the step itself, if none did it again alone.
    func standing(for step: StepScan.Step) -> StepScan.Step { steps[step.number] ?? step }
}
