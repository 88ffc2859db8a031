import Records

/// Of each fork the last merge that stands in a log, as a walk from its last record to the first meets them.
struct StandingMerges {
    /// A merge: its step, and what it brought.
    typealias Merge = (step: UInt64, mark: ForkMark)

    private(set) var all: [Merge] = []
    private var forks: Set<UInt64> = []

    /// Takes a merge that comes before the last one that was taken, and was not undone; a later one of the same fork tells of all of it.
    mutating func take(_ mark: ForkMark, of step: UInt64) {
        if forks.insert(mark.firstChain).inserted { all.append((step, mark)) }
    }

    /// All that came by them, each fork once.
    var brought: [HeldFork] {
        var seen: Set<UInt64> = []
        return all.flatMap(\.mark.brought).filter { seen.insert($0.firstChain).inserted }
    }
}
