import Reducing

/// What one dispatch has staged so far.
struct Batch<App: Feature> {
    private(set) var sequences: Range<UInt64>
    private(set) var ids: [UInt64] = []
    var commands: [App.Command] = []

    init(first: UInt64) { sequences = first..<first }

    var count: Int { sequences.count }

    mutating func note(_ created: [UInt64]) {
        sequences = sequences.lowerBound..<sequences.upperBound + 1
        if !created.isEmpty { ids += created }
    }
}
