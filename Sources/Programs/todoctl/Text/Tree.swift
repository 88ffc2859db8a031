import Chronicle
import Dates
import Synchronization
import TodoAPI

enum Tree {
    /// - Parameter path: path of the value, from the feature's name; empty for a whole state.
    static func lines(_ value: Value, of path: String = "") -> [String] {
        var lines: [String] = []
        append(value, name: nil, path, depth: 0, to: &lines)
        return lines
    }

    private static func append(_ value: Value, name: String?, _ path: String, depth: Int, to lines: inout [String]) {
        let margin = String(repeating: "  ", count: depth)
        let head = name.map { margin + Visible.text($0) + ":" } ?? margin
        switch value {
        case .record(let fields) where !fields.isEmpty:
            if name != nil { lines.append(head) }
            let depth = name == nil ? depth : depth + 1
            for field in fields { append(field.value, name: field.name, path + "." + field.name, depth: depth, to: &lines) }
        case .list(let elements) where !elements.isEmpty:
            if name != nil { lines.append(head) }
            for element in elements {
                lines.append(margin + (name == nil ? "- " : "  - ") + compact(element, of: path))
            }
        default: lines.append((name == nil ? margin : head + " ") + compact(value, of: path))
        }
    }

    /// A value in one line: `id 1, title Buy the milk`; the path distinguishes times from numbers.
    static func compact(_ value: Value, of path: String = "") -> String {
        switch value {
        case .int(let time) where Times.contains(path): Zone.user.moment(at: time / 1_000_000).text
        case .int(let number): String(number)
        case .double(let number): String(number)
        case .null: "none"
        case .bool(let flag): flag ? "yes" : "no"
        case .text(let text): text.isEmpty ? "\"\"" : Visible.text(text)
        case .list(let elements): "[" + elements.map { nested($0, of: path) }.joined(separator: ", ") + "]"
        case .record(let fields):
            fields.map { "\(Visible.text($0.name)) \(nested($0.value, of: path + "." + $0.name))" }.joined(separator: ", ")
        }
    }

    /// An action or a command with its arguments: `todos.remind id 3`.
    static func call(_ name: String, _ arguments: Value) -> String {
        let details = compact(arguments, of: name)
        return Visible.text(name) + (details.isEmpty ? "" : " " + details)
    }

    private static func nested(_ value: Value, of path: String) -> String {
        if case .record(let fields) = value { return fields.isEmpty ? "{}" : "{" + compact(value, of: path) + "}" }
        return compact(value, of: path)
    }
}

/// Fields of features that hold times, shown as dates.
enum Times {
    private static let known = Mutex<(socket: String?, names: Set<String>)>((nil, []))

    /// Asks the daemon at a socket when a number is first shown.
    static func ask(at socket: String) { known.withLock { $0 = (socket, []) } }

    static func know(_ names: [String]?) { known.withLock { $0 = (nil, Set(names ?? [])) } }

    /// Whether the last field of a path is a time; the path begins with the feature's name: `todos.items[3].created`.
    static func contains(_ path: String) -> Bool {
        let names = path.split(separator: ".")
        guard let feature = names.first, let field = names.last else { return false }
        if let socket = known.withLock({ $0.socket.take() }) {
            know(try? Client(socket: socket, patience: 0).call(StatusMethod.self, NoFields()).times)
        }
        return known.withLock { $0.names.contains("\(feature).\(field)") || $0.names.contains(String(field)) }
    }
}
