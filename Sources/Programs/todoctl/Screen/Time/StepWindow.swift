/// A window of the log's step numbers, to move between steps.
///
/// Stops at the last record before one of another step.
struct StepWindow: Equatable {
    enum Answer: Equatable {
        case moment(UInt64)
        case read(ClosedRange<UInt64>)
        /// A long step, whose end must be searched from this record.
        case end(of: UInt64, from: UInt64)
    }

    /// Records per read; a step with as many is a long one.
    static let records: UInt64 = 256
    private static let recordsMax = 65_536

    private var first: UInt64 = 1
    private var steps: [UInt64] = []

    /// Takes consecutive records: adds adjacent ones, otherwise replaces the window.
    mutating func take(_ records: [(sequence: UInt64, step: UInt64)]) {
        guard let begin = records.first?.sequence, let end = records.last?.sequence else { return }
        let taken = records.map(\.step)
        if begin >= first, begin - first <= UInt64(steps.count) {
            let rest = steps.dropFirst(Int(min(end + 1 - first, UInt64(steps.count))))
            steps = steps.prefix(Int(begin - first)) + taken + rest
        } else if begin < first, end + 1 >= first {
            steps = taken + steps.dropFirst(Int(min(end + 1 - first, UInt64(steps.count))))
            first = begin
        } else {
            (first, steps) = (begin, taken)
        }
        if steps.count > Self.recordsMax { (first, steps) = (begin, taken) }
    }

    mutating func extend(by records: [(sequence: UInt64, step: UInt64)]) {
        if let begin = records.first?.sequence, !steps.isEmpty, begin == first + UInt64(steps.count) { take(records) }
    }

    func holds(_ range: ClosedRange<UInt64>) -> Bool { step(range.lowerBound) != nil && step(range.upperBound) != nil }

    func ends(in range: ClosedRange<UInt64>) -> [UInt64] {
        range.filter { sequence in
            guard let own = step(sequence) else { return false }
            return step(sequence + 1) != own
        }
    }

    private func step(_ sequence: UInt64) -> UInt64? {
        guard sequence >= first, sequence - first < UInt64(steps.count) else { return nil }
        return steps[Int(sequence - first)]
    }

    func next(_ moment: UInt64, last: UInt64) -> Answer {
        guard moment < last else { return .moment(last) }
        var sequence = moment + 1
        while sequence < last {
            guard let own = step(sequence) else { return .read(sequence...min(last, sequence + Self.records - 1)) }
            guard let other = step(sequence + 1) else {
                if sequence - moment >= Self.records { return .end(of: own, from: sequence + 1) }
                return .read(sequence...min(last, sequence + Self.records - 1))
            }
            if own != other { return .moment(sequence) }
            sequence += 1
        }
        return .moment(last)
    }

    func previous(_ moment: UInt64, base: UInt64) -> Answer {
        guard moment > base + 1 else { return .moment(base) }
        var sequence = moment - 1
        while sequence > base {
            guard let other = step(sequence + 1) else { return .read(Self.piece(through: sequence + 1, after: base)) }
            guard let own = step(sequence) else {
                if moment - sequence >= Self.records { return .end(of: other, from: sequence) }
                return .read(Self.piece(through: sequence + 1, after: base))
            }
            if own != other { return .moment(sequence) }
            sequence -= 1
        }
        return .moment(base)
    }

    private static func piece(through last: UInt64, after base: UInt64) -> ClosedRange<UInt64> {
        max(base + 1, last > records ? last - records + 1 : 1)...last
    }
}
