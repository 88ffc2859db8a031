import Chronicle
import Glibc
import TodoAPI

/// A binary search for the first state that a program finds bad.
struct ProgramBisection {
    /// The result for a state, from an exit status as for git bisect run.
    enum Verdict: Equatable {
        case good
        case bad
        /// The program can't judge this state.
        case skipped

        /// `nil` if the program ended the search.
        init?(status: Int32) {
            switch status {
            case 0: self = .good
            case 125: self = .skipped
            case 1...127: self = .bad
            default: return nil
            }
        }
    }

    /// The last record known as good, and the first known as bad.
    private(set) var good: UInt64
    private(set) var bad: UInt64
    private var skipped: Set<UInt64> = []

    init(good: UInt64, bad: UInt64) { (self.good, self.bad) = (good, bad) }

    /// The unjudged record nearest to the middle, if there is one.
    var next: UInt64? {
        guard bad - good > 1 else { return nil }
        let middle = good + (bad - good) / 2
        var distance: UInt64 = 0
        while distance < bad - good {
            if middle + distance < bad, !skipped.contains(middle + distance) { return middle + distance }
            if middle >= distance, middle - distance > good, !skipped.contains(middle - distance) { return middle - distance }
            distance += 1
        }
        return nil
    }

    /// The candidates for the first bad record; a single one unless some between good and bad were skipped.
    var candidates: ClosedRange<UInt64> { good + 1...bad }

    /// Records a result.
    mutating func take(_ verdict: Verdict, of moment: UInt64) {
        switch verdict {
        case .good: good = moment
        case .bad: bad = moment
        case .skipped: skipped.insert(moment)
        }
    }
}
