import ChronicleLog

/// The last active merge of each fork, collected while scanning a log backwards.
struct ActiveMerges {
    typealias Merge = (step: UInt64, mark: ForkMark)

    private(set) var all: [Merge] = []
    private var forks: Set<UInt64> = []

    /// Adds an active merge that precedes the last one added; a later merge of the same fork covers it.
    mutating func take(_ mark: ForkMark, of step: UInt64) {
        if forks.insert(mark.firstChain).inserted { all.append((step, mark)) }
    }

    /// Everything merged, each fork once.
    var brought: [HeldFork] {
        var seen: Set<UInt64> = []
        return all.flatMap(\.mark.brought).filter { seen.insert($0.firstChain).inserted }
    }
}
