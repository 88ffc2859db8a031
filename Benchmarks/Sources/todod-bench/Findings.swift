/// What a part found.
struct Findings: Sendable {
    var measurements: [Measurement] = []
    var ratios: [Ratio] = []

    mutating func add(_ name: String, _ value: Double, _ unit: String) {
        measurements.append(Measurement(name: name, value: value, unit: unit))
    }

    mutating func add(_ name: String, _ value: Double, _ bound: Bound) {
        ratios.append(Ratio(name: name, value: value, bound: bound))
    }
}
