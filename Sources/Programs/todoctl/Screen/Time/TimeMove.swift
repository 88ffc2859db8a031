/// A way through time for which there is a key.
enum TimeMove: Equatable {
    /// A record back, or on.
    case record(isNext: Bool)
    /// To the end of the step before, or of the next one.
    case step(isNext: Bool)
    /// To the end of the day before on which something happened, or of the next one.
    case day(isNext: Bool)
    /// To where what stands at a place changed before, or next.
    case change(String, isNext: Bool)
}

/// A question about the log that tells where a move leads.
struct Seek {
    /// What the answer is for.
    enum Goal: Equatable {
        /// The record that is found is where it leads.
        case record
        case before
        /// Its day tells where to go on looking.
        case day(isNext: Bool)
        /// They tell of which steps they are, so that a move by a step can be made.
        case steps(isNext: Bool)
    }

    let goal: Goal
    /// Where it leads if nothing is found; `nil`: nowhere, which is said.
    let otherwise: UInt64?
    let call: ScreenCall
    /// The records that have come of `steps`, each with its step.
    var found: [(sequence: UInt64, step: UInt64)] = []
}
