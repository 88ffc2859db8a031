package struct MetricText {
    package typealias Labels = KeyValuePairs<String, String>

    private struct Family {
        let kind: String
        let sentence: String?
        var lines: [String: String] = [:]
    }

    private let prefix: String
    private let sentences: [String: String]
    private var families: [String: Family] = [:]

    /// - Parameters:
    ///   - program: the prefix of every name.
    ///   - sentences: the description of each metric, by its name without prefix and suffix.
    package init(program: String, sentences: [String: String]) {
        prefix = String(program.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }) + "_"
        self.sentences = sentences
    }

    package mutating func gauge(_ name: String, _ value: Double, _ labels: Labels = [:]) {
        add(name, "", "gauge", labels) { "\($0)\(Self.text(labels)) \(Self.text(value))\n" }
    }

    /// The name gets the suffix `_total`.
    package mutating func total(_ name: String, _ value: Int, _ labels: Labels = [:]) {
        add(name, "_total", "counter", labels) { "\($0)\(Self.text(labels)) \(value)\n" }
    }

    /// Adds a histogram of times; its name gets the suffix `_seconds`.
    ///
    /// - Parameters:
    ///   - bounds: the upper bounds in seconds, ascending.
    ///   - counts: the count of each bound's bucket, then of the values above the last.
    ///   - sum: the sum of all times in seconds.
    package mutating func times(_ name: String, bounds: [Double], counts: [UInt64], sum: Double, _ labels: Labels = [:]) {
        add(name, "_seconds", "histogram", labels) { name in
            var (lines, count) = ("", UInt64(0))
            for (bound, more) in zip(bounds.map(Self.text) + ["+Inf"], counts) {
                count += more
                lines += "\(name)_bucket\(Self.text(labels, "le=\"\(bound)\"")) \(count)\n"
            }
            return lines + "\(name)_sum\(Self.text(labels)) \(Self.text(sum))\n\(name)_count\(Self.text(labels)) \(count)\n"
        }
    }

    /// Sorted by name and labels.
    package var text: String {
        families.sorted { $0.key < $1.key }.map { name, family in
            (family.sentence.map { "# HELP \(name) \($0)\n" } ?? "") + "# TYPE \(name) \(family.kind)\n"
                + family.lines.sorted { $0.key < $1.key }.map(\.value).joined()
        }.joined()
    }

    private mutating func add(_ name: String, _ ending: String, _ kind: String, _ labels: Labels, _ lines: (String) -> String) {
        let fullName = prefix + name + ending
        families[fullName, default: Family(kind: kind, sentence: sentences[name])].lines[Self.text(labels)] = lines(fullName)
    }

    private static func text(_ labels: Labels, _ last: String? = nil) -> String {
        let pairs = labels.map { name, value in
            let escaped = value.unicodeScalars.map { $0 == "\n" ? "\\n" : $0 == "\\" || $0 == "\"" ? "\\\($0)" : String($0) }
            return "\(name)=\"\(escaped.joined())\""
        }
        let all = pairs.sorted() + (last.map { [$0] } ?? [])
        return all.isEmpty ? "" : "{\(all.joined(separator: ","))}"
    }

    private static func text(_ value: Double) -> String { Int64(exactly: value).map { String($0) } ?? "\(value)" }
}
