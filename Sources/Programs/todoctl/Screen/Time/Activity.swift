import TodoAPI

/// How many records came when, as `org.todod.History.Activity` tells it: in equal stretches of time.
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
    static let call = ScreenCall(ActivityMethod.self, .init(buckets: ActivityMethod.bucketsMax), over: .questions)

    /// An answer of the daemon; `nil` if it has no stretch, or goes back.
    init?(_ answer: ActivityMethod.Output) {
        let (length, isTooLong) = answer.to.subtractingReportingOverflow(answer.from)
        guard answer.sequences.count > 1, !isTooLong, length >= 0,
            zip(answer.sequences, answer.sequences.dropFirst()).allSatisfy({ $0 <= $1 })
        else { return nil }
        self.init(from: answer.from, to: answer.to, sequences: answer.sequences)
    }
}
