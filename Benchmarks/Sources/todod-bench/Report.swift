import Foundation

/// Everything that was found, as a table and as JSON.
struct Report: Encodable, Sendable {
    var date = Date().formatted(.iso8601)
    var isQuick: Bool
    var processors = ProcessInfo.processInfo.activeProcessorCount
    /// Other work on the machine makes every figure worse, so the load stands beside them.
    var loadAverageBefore = Report.loadAverage()
    var measurements: [Measurement] = []
    var ratios: [Ratio] = []
    var failures: [Failure] = []

    /// A part that could not be measured.
    struct Failure: Encodable, Sendable {
        var part: String
        var message: String
    }

    init(isQuick: Bool) {
        self.isQuick = isQuick
    }

    mutating func add(_ findings: Findings, of part: Part) {
        for var measurement in findings.measurements {
            measurement.part = part.rawValue
            measurements.append(measurement)
        }
        for var ratio in findings.ratios {
            ratio.part = part.rawValue
            ratios.append(ratio)
        }
    }

    mutating func add(_ error: BenchmarkError, of part: Part) {
        failures.append(Failure(part: part.rawValue, message: error.message))
    }

    func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return try encoder.encode(self)
    }

    var table: String {
        var lines = ["\(date), \(processors) processors, load \(Figure.text(loadAverageBefore))\(isQuick ? ", quick" : "")"]
        var part = ""
        for measurement in measurements {
            if measurement.part != part {
                part = measurement.part
                lines += ["", part]
            }
            lines.append("  \(left(measurement.name, 62))\(right(Figure.text(measurement.value), 14)) \(measurement.unit)")
        }
        if !ratios.isEmpty { lines += ["", "bounds"] }
        for ratio in ratios {
            let verdict = ratio.isMet ? "met" : "NOT MET"
            lines.append(
                "  \(left(ratio.name, 62))\(right(Figure.text(ratio.value), 14)) \(left(ratio.boundText, 20)) \(verdict)")
        }
        lines += failures.map { "\n\($0.part) FAILED: \($0.message)" }
        return lines.joined(separator: "\n")
    }

    private static func loadAverage() -> Double {
        let text = try? String(contentsOfFile: "/proc/loadavg", encoding: .utf8)
        return text?.split(separator: " ").first.flatMap { Double($0) } ?? .nan
    }

    private func left(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    private func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
