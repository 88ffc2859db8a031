import Chronicle
import Dates

/// A state as lines with marked changes.
struct StateLines {
    private(set) var lines: [String] = []
    private(set) var changed: Int?
    private let table: TodoTable
    private var rows: Set<String> = []
    private var fields: Set<String> = []

    /// - Parameter columns: maximum width of a todo.
    init(_ state: Value, _ changes: [Change], columns: Int?, now: Moment) {
        table = TodoTable(paint: Paint(isTerminal: false) { _ in nil }, now: now, width: columns.map { max(1, $0 - 4) })
        for change in changes {
            if let id = change.id { rows.insert("\(change.path)[\(id)]") }
            guard change.kind == .set else { continue }
            for field in change.new?.record ?? change.old?.record ?? [] {
                fields.insert(change.path.isEmpty ? field.name : "\(change.path).\(field.name)")
            }
        }
        append(state, name: nil, path: "", depth: 0)
    }

    private mutating func append(_ value: Value, name: String?, path: String, depth: Int) {
        let margin = String(repeating: "  ", count: depth)
        switch value {
        case .record(let inner) where !inner.isEmpty:
            if let name { lines.append("\(margin)\(Visible.text(name)):") }
            for field in inner {
                let place = path.isEmpty ? field.name : "\(path).\(field.name)"
                append(field.value, name: field.name, path: place, depth: name == nil ? depth : depth + 1)
            }
        case .list(let elements) where !elements.isEmpty:
            if let name { lines.append("\(margin)\(Visible.text(name)):") }
            append(list: elements, path: path, margin: margin)
        default:
            let text = name.map { "\(Visible.text($0)): " } ?? ""
            append(margin + text + Tree.compact(value, of: path), isChanged: fields.contains(path))
        }
    }

    private mutating func append(list elements: [Value], path: String, margin: String) {
        let todos = path == "todos.items" ? elements.compactMap(Todo.init) : []
        // Elements that can't be decoded as todos are shown generically.
        let shown = todos.count == elements.count ? table.lines(todos) : elements.map { Tree.compact($0, of: path) }
        for (element, line) in zip(elements, shown) {
            let isChanged = element["id"]?.int.map { rows.contains("\(path)[\($0)]") } ?? false
            append("\(margin)  \(todos.isEmpty ? "- " : "")\(line)", isChanged: isChanged)
        }
    }

    private mutating func append(_ line: String, isChanged: Bool) {
        if isChanged, changed == nil { changed = lines.count }
        lines.append((isChanged ? "> " : "  ") + line)
    }

    /// A number of lines around the first change; omissions are marked.
    func window(_ count: Int) -> [String] {
        guard lines.count > count else { return lines }
        guard count > 2 else { return Array(lines.prefix(max(0, count))) }
        let first = max(0, min((changed ?? 0) - count / 2, lines.count - count))
        var window = Array(lines[first..<first + count])
        if first > 0 { window[0] = "…" }
        if first + count < lines.count { window[count - 1] = "…" }
        return window
    }
}
