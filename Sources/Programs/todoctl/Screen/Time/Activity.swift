import TodoAPI

/// How many records came when, in equal intervals of time, as `org.todod.History.Scan` returns it.
struct Activity: Equatable {
    /// When the first stretch begins, in microseconds since 1970.
    var from: Int64
    /// When the last one ends, in microseconds since 1970.
    var to: Int64
    /// The record before the first one, then for each stretch the last record at or before its end.
    var sequences: [UInt64]

    /// The record before the first one.
    var first: UInt64 { sequences.first ?? 0 }
    var last: UInt64 { sequences.last ?? 0 }

    /// When a stretch begins, or the last one ends.
    func time(at index: Int) -> Int64 {
        let count = Int64(max(sequences.count - 1, 1))
        // The product of a time of a million years and an index may not fit.
        let (whole, rest) = (to - from).quotientAndRemainder(dividingBy: count)
        return from + whole * Int64(index) + rest * Int64(index) / count
    }
}

extension Activity {
    /// Asks for it in as many stretches as there may be: what a strip of any width needs.
    static let call = ScreenCall(
        ScanMethod.self, .init(question: .activity, buckets: ScanMethod.bucketsMax), over: .questions)

    /// An answer of the daemon; `nil` if it has no stretch, or goes back.
    init?(_ answer: ScanMethod.Output) {
        guard let from = answer.begin, let to = answer.end, let sequences = answer.sequences else { return nil }
        let (length, isTooLong) = to.subtractingReportingOverflow(from)
        guard sequences.count > 1, !isTooLong, length >= 0, zip(sequences, sequences.dropFirst()).allSatisfy({ $0 <= $1 })
        else { return nil }
        self.init(from: from, to: to, sequences: sequences)
    }
}
