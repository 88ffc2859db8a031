/// Tracks, while scanning a log backwards, which steps redid which.
struct Redos {
    // By the step that they undid, if it is only one.
    private var steps: [UInt64: StepScan.Step] = [:]

    mutating func pass(_ step: StepScan.Step, _ scan: StepScan) {
        guard step.undoes.count == 1, let undone = step.undoes.first else { return }
        if !scan.isTakenBack(step.number) {
            steps[undone] = standing(for: step)
        } else if let redo = steps[step.number] {
            steps[undone] = redo
        }
    }

    /// The last step that redid it alone; otherwise the step itself.
    func standing(for step: StepScan.Step) -> StepScan.Step { steps[step.number] ?? step }
}
