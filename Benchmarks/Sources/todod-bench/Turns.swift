/// What came of one of two that are measured in turns.
struct Turns {
    private(set) var rates: [Double] = []
    private(set) var medians: [Double] = []
    private(set) var latencies = Latencies()

    mutating func add(_ result: Load.Result) {
        rates.append(result.perSecond)
        latencies.add(result.latencies)
        var own = Latencies()
        own.add(result.latencies)
        medians.append(own.percentile(50))
    }

    /// The quotient of neighbours in time, so that a slow minute of the disk counts on both sides.
    static func quotient(_ upper: [Double], _ lower: [Double]) -> Double {
        Figure.median(zip(upper, lower).map { $0 / $1 })
    }
}
