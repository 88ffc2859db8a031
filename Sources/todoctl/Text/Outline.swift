import Varlink

/// Any JSON value as indented lines for a person; texts are made visible, times are those of the user's zone.
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
        default: lines.append((name == nil ? margin : head + " ") + compact(json, of: name))
        }
    }

    /// A value in one line: `id 1, title Buy the milk`; the name of its field tells a time from a number.
    static func compact(_ json: JSON, of name: String? = nil) -> String {
        switch json {
        case .int(let time) where name.map(times.contains) == true: Zone.user.moment(at: time / 1_000_000).text
        case .null: "none"
        case .bool(let flag): flag ? "yes" : "no"
        case .string(let text): text.isEmpty ? "\"\"" : Visible.text(text)
        case .array(let elements): "[" + elements.map { nested($0) }.joined(separator: ", ") + "]"
        case .object(let members):
            members.map { "\(Visible.text($0.name)) \(nested($0.value, of: $0.name))" }.joined(separator: ", ")
        case .int, .double: json.description
        }
    }

    private static func nested(_ json: JSON, of name: String? = nil) -> String {
        if case .object(let members) = json { return members.isEmpty ? "{}" : "{" + compact(json) + "}" }
        return compact(json, of: name)
    }

    /// The fields of states and actions that hold microseconds since 1970.
    private static let times: Set = ["created", "completed", "published"]
}
