import Dates
import Reducing

/// Any value of a feature as indented lines for a person; texts are made visible, times are those of the user's zone.
enum Tree {
    static func lines(_ value: Value) -> [String] {
        var lines: [String] = []
        append(value, name: nil, depth: 0, to: &lines)
        return lines
    }

    private static func append(_ value: Value, name: String?, depth: Int, to lines: inout [String]) {
        let margin = String(repeating: "  ", count: depth)
        let head = name.map { margin + Visible.text($0) + ":" } ?? margin
        switch value {
        case .record(let fields) where !fields.isEmpty:
            if name != nil { lines.append(head) }
            for field in fields { append(field.value, name: field.name, depth: name == nil ? depth : depth + 1, to: &lines) }
        case .list(let elements) where !elements.isEmpty:
            if name != nil { lines.append(head) }
            for element in elements {
                lines.append(margin + (name == nil ? "- " : "  - ") + compact(element))
            }
        default: lines.append((name == nil ? margin : head + " ") + compact(value, of: name))
        }
    }

    /// A value in one line: `id 1, title Buy the milk`; the name of its field tells a time from a number.
    static func compact(_ value: Value, of name: String? = nil) -> String {
        switch value {
        case .int(let time) where name.map(times.contains) == true: Zone.user.moment(at: time / 1_000_000).text
        case .int(let number): String(number)
        case .double(let number): String(number)
        case .null: "none"
        case .bool(let flag): flag ? "yes" : "no"
        case .text(let text): text.isEmpty ? "\"\"" : Visible.text(text)
        case .list(let elements): "[" + elements.map { nested($0) }.joined(separator: ", ") + "]"
        case .record(let fields):
            fields.map { "\(Visible.text($0.name)) \(nested($0.value, of: $0.name))" }.joined(separator: ", ")
        }
    }

    private static func nested(_ value: Value, of name: String? = nil) -> String {
        if case .record(let fields) = value { return fields.isEmpty ? "{}" : "{" + compact(value) + "}" }
        return compact(value, of: name)
    }

    /// The fields of states and actions that hold microseconds since 1970.
    private static let times: Set = ["created", "completed", "published", "deadline"]
}
