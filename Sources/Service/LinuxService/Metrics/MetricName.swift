/// Names as the Prometheus text format takes them.
enum MetricName {
    /// The name with every other character replaced by an underscore; a digit in front gets one before it.
    static func cleaned(_ name: String, colons: Bool) -> String {
        var cleaned = ""
        for byte in name.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"):
                cleaned.unicodeScalars.append(Unicode.Scalar(byte))
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                if cleaned.isEmpty { cleaned = "_" }
                cleaned.unicodeScalars.append(Unicode.Scalar(byte))
            case UInt8(ascii: ":") where colons:
                cleaned += ":"
            default:
                cleaned += "_"
            }
        }
        return cleaned.isEmpty ? "_" : cleaned
    }

    /// The name with an ending, once.
    static func name(_ label: String, ending: String) -> String {
        let name = cleaned(label, colons: true)
        return name.hasSuffix(ending) ? name : name + ending
    }

    /// A number as the format writes it.
    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value > 0 ? "+Inf" : "-Inf" }
        if let whole = Int64(exactly: value) { return String(whole) }
        return "\(value)"
    }
}

/// The labels of a series, in the form of the Prometheus text format.
struct MetricLabels: Sendable, Hashable {
    private let pairs: String

    init(_ dimensions: [(String, String)]) {
        pairs =
            dimensions
            .map { "\(MetricName.cleaned($0.0, colons: false))=\"\(Self.escaped($0.1))\"" }
            .sorted()
            .joined(separator: ",")
    }

    /// The labels in braces, with one more at the end if given; nothing when there are none.
    func text(with extra: String? = nil) -> String {
        let all = [pairs, extra ?? ""].filter { !$0.isEmpty }.joined(separator: ",")
        return all.isEmpty ? "" : "{\(all)}"
    }

    private static func escaped(_ value: String) -> String {
        var escaped = ""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\"": escaped += "\\\""
            case "\n": escaped += "\\n"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
