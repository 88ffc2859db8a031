import TodoAPI

/// Numbers of records in equal time intervals, as `org.todod.History.Scan` returns them.
struct Activity: Equatable {
    /// Start of the first interval, in microseconds since 1970.
    var from: Int64
    /// End of the last interval, in microseconds since 1970.
    var to: Int64
    /// The record before the first interval, then the last record of each interval.
    var sequences: [UInt64]

    var first: UInt64 { sequences.first ?? 0 }
    var last: UInt64 { sequences.last ?? 0 }

    func time(at index: Int) -> Int64 {
        let count = Int64(max(sequences.count - 1, 1))
        // Avoids an overflow of the product for extreme times.
        let (whole, rest) = (to - from).quotientAndRemainder(dividingBy: count)
        return from + whole * Int64(index) + rest * Int64(index) / count
    }
}

extension Activity {
    /// Requests the finest resolution, enough for any width.
    static let call = ScreenCall(
        ScanMethod.self, .init(question: .activity, buckets: ScanMethod.bucketsMax), over: .questions)

    /// `nil` for an invalid reply.
    init?(_ answer: ScanMethod.Output) {
        guard let from = answer.begin, let to = answer.end, let sequences = answer.sequences else { return nil }
        let (length, isTooLong) = to.subtractingReportingOverflow(from)
        guard sequences.count > 1, !isTooLong, length >= 0, zip(sequences, sequences.dropFirst()).allSatisfy({ $0 <= $1 })
        else { return nil }
        self.init(from: from, to: to, sequences: sequences)
    }
}
