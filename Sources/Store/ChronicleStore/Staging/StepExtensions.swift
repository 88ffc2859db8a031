/// The last record with which each step was extended; only an upper bound for all but the last `stepsMax` steps.
struct StepExtensions: Sendable {
    static let stepsMax = 64

    private var steps: [UInt64] = []
    private var sequences: [UInt64] = []
    // The last record of the evicted steps.
    private var forgotten: UInt64 = 0

    init() {
        steps.reserveCapacity(Self.stepsMax)
        sequences.reserveCapacity(Self.stepsMax)
    }

    mutating func note(_ step: UInt64, at sequence: UInt64) {
        if let place = steps.firstIndex(of: step) {
            sequences[place] = sequence
        } else if steps.count < Self.stepsMax {
            steps.append(step)
            sequences.append(sequence)
        } else if let oldest = sequences.indices.min(by: { sequences[$0] < sequences[$1] }) {
            forgotten = max(forgotten, sequences[oldest])
            steps[oldest] = step
            sequences[oldest] = sequence
        }
    }

    /// The last record with which one of these steps may have been extended.
    func latest(of wanted: [UInt64]) -> UInt64 {
        zip(steps, sequences).reduce(forgotten) { latest, known in wanted.contains(known.0) ? max(latest, known.1) : latest }
    }

    mutating func forget(after sequence: UInt64) {
        forgotten = min(forgotten, sequence)
        for place in sequences.indices { sequences[place] = min(sequences[place], sequence) }
    }
}
