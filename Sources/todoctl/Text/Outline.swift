import Varlink

/// Any JSON value as indented lines for a person; texts are made visible.
enum Outline {
    /// The lines of a value.
    static func lines(_ json: JSON) -> [String] {
        var lines: [String] = []
        append(json, name: nil, depth: 0, to: &lines)
        return lines
    }

    private static func append(_ json: JSON, name: String?, depth: Int, to lines: inout [String]) {
        let margin = String(repeating: "  ", count: depth)
        let head = name.map { margin + Visible.text($0) + ":" } ?? margin
        switch json {
        case .object(let members) where !members.isEmpty:
            if name != nil { lines.append(head) }
            for member in members { append(member.value, name: member.name, depth: name == nil ? depth : depth + 1, to: &lines) }
        case .array(let elements) where !elements.isEmpty:
            if name != nil { lines.append(head) }
            for element in elements {
                lines.append(margin + (name == nil ? "- " : "  - ") + compact(element))
            }
        default: lines.append((name == nil ? margin : head + " ") + compact(json))
        }
    }

    /// A value in one line: `id 1, title Buy the milk`.
    static func compact(_ json: JSON) -> String {
        switch json {
        case .null: "none"
        case .bool(let flag): flag ? "yes" : "no"
        case .string(let text): text.isEmpty ? "\"\"" : Visible.text(text)
        case .array(let elements): "[" + elements.map(nested).joined(separator: ", ") + "]"
        case .object(let members): members.map { "\(Visible.text($0.name)) \(nested($0.value))" }.joined(separator: ", ")
        case .int, .double: json.description
        }
    }

    private static func nested(_ json: JSON) -> String {
        if case .object(let members) = json { return members.isEmpty ? "{}" : "{" + compact(json) + "}" }
        return compact(json)
    }
}
