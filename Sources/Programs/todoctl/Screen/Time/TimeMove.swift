/// A move of the handle.
enum TimeMove: Equatable {
    case record(isNext: Bool)
    /// To the end of the previous or next step.
    case step(isNext: Bool)
    /// To the end of the previous or next day with records.
    case day(isNext: Bool)
    /// To the previous or next change of a path.
    case change(String, isNext: Bool)
}

/// A log query that finds a move's target.
struct Seek {
    enum Goal: Equatable {
        /// The found record is the target.
        case record
        case before
        /// The end of the record's day is searched next.
        case day(isNext: Bool)
        /// The records fill the step window, then the move is repeated.
        case steps(isNext: Bool)
    }

    let goal: Goal
    /// The target if nothing is found; `nil` reports that.
    let otherwise: UInt64?
    let call: ScreenCall
    /// The records of a `steps` query.
    var found: [(sequence: UInt64, step: UInt64)] = []
}
