import Chronicle
import Glibc
import TodoAPI

/// The search for the first moment that a program finds bad, by halves: which moment is looked at next, and what is known.
struct ProgramBisection {
    /// What a program says of a moment, by its exit status as git bisect run takes it.
    enum Verdict: Equatable {
        case good
        case bad
        /// It can't be told of this moment.
        case skipped

        /// `nil`: the program says that it must not go on.
        init?(status: Int32) {
            switch status {
            case 0: self = .good
            case 125: self = .skipped
            case 1...127: self = .bad
            default: return nil
            }
        }
    }

    /// The last moment that is known as good, and the first known as bad.
    private(set) var good: UInt64
    private(set) var bad: UInt64
    private var skipped: Set<UInt64> = []

    init(good: UInt64, bad: UInt64) { (self.good, self.bad) = (good, bad) }

    /// The moment to be looked at next: the nearest to the middle of which nothing is known; `nil`: there is none.
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

    /// The moments of which one is the first bad one; one alone where nothing was skipped between good and bad.
    var candidates: ClosedRange<UInt64> { good + 1...bad }

    /// Takes in what was found out of a moment.
    mutating func take(_ verdict: Verdict, of moment: UInt64) {
        switch verdict {
        case .good: good = moment
        case .bad: bad = moment
        case .skipped: skipped.insert(moment)
        }
    }
}
