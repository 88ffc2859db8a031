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
