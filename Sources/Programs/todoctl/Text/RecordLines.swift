import Chronicle
import Dates
import TodoAPI

struct RecordLines {
    var zone: Zone
    var paint = Paint(isTerminal: false) { _ in nil }

    /// `12  2026-12-01 14:30:05  uid 1000  todos.complete id 3`.
    func line(_ record: RecordMessage, showsCause: Bool = true) -> String {
        let time = zone.moment(at: record.time / 1_000_000).text
        var line = "\(record.sequence)  \(time)  uid \(record.origin)  \(RecordLines.what(record))"
        if let outcome = record.outcome { line += "  \(Visible.text(outcome))" }
        if let reason = record.reason { line += ": \(Visible.text(reason))" }
        if showsCause, record.kind != "edit", let cause = record.cause { line += "  (for \(cause.sequence))" }
        if let undoes = record.undoes { line += "  (undoes \(undoes))" }
        if let restores = record.restores { line += "  (as it was at \(restores))" }
        if let merges = record.merges { line += "  (merges a fork through \(merges))" }
        return line
    }

    /// A record or a merged run, and its changes; if `showsChanges` and the changes were too large, says how to see them.
    func lines(_ record: RecordMessage, _ detail: LogDetailMessage?, showsChanges: Bool = false) -> [String] {
        var line = line(record)
        let last = record.sequence
        let first = detail?.first ?? last
        if first < last { line = "\(first)–" + line + "  (\(Digits.grouped(last - first + 1)) records)" }
        guard let changes = detail?.changes else {
            let advice = "    It changed more than is told here: todoctl diff \(max(1, first) - 1) \(last) shows it."
            return showsChanges ? [line, advice] : [line]
        }
        return [line] + changes.map { "    " + ChangeLines.line($0, paint: paint) }
    }

    static func what(_ record: RecordMessage) -> String {
        if let action = record.action, !path(action).isEmpty { return what(action) }
        if let before = record.before, let after = record.after {
            return "edit \(record.cause?.text ?? "of a command"): " + ChangeLines.differences(before, after)
        }
        if let name = record.invariant {
            return "invariant \(Visible.text(name)): " + (record.expression.map(Visible.text) ?? "removed")
        }
        if let piece = record.piece {
            let total = record.total.map { " of \(Digits.grouped($0))" } ?? ""
            return "piece \(piece): \(Digits.grouped(record.done ?? 0))\(total) done"
        }
        let place = record.at.map { "at \($0)" } ?? "removed"
        return Visible.text(record.kind) + (record.bookmark.map { " \(Visible.text($0)) \(place)" } ?? "")
    }

    /// An action as a path of names and its payload: `todos.complete id 3`.
    static func what(_ action: Value) -> String {
        Tree.call(path(action).joined(separator: "."), payload(action))
    }

    static func payload(_ action: Value) -> Value { path(action).reduce(action) { $0[$1] ?? .null } }

    static func path(_ action: Value) -> [String] {
        var path: [String] = []
        var rest = action
        while path.count < 2, case .record(let fields) = rest, fields.count == 1 {
            path.append(fields[0].name)
            rest = fields[0].value
        }
        return path
    }
}

enum ChangeLines {
    /// `+ todos.items 3: Buy the milk`, `counter.count: 1 → 2`.
    static func line(_ change: Change, in feature: String = "", paint: Paint) -> String {
        let path = Visible.text(change.path)
        let place = feature + "." + change.path
        let id = change.id.map { " \($0)" } ?? ""
        let old = change.old ?? .null
        let new = change.new ?? .null
        switch change.kind {
        case .insert: return paint("+ \(path)\(id): \(name(new, of: place))", .green)
        case .remove: return paint("- \(path)\(id): \(name(old, of: place))", .red)
        case .replace: return "~ \(path)\(id): \(differences(old, new, of: place))"
        case .move: return "> \(path)\(id): \(index(change.from)) → \(index(change.at))"
        case .set:
            let prefix = "  " + (path.isEmpty ? "" : path + ".")
            return names(old, new).map { name in
                "\(prefix)\(Visible.text(name)): \(value(name, in: old, place)) → \(value(name, in: new, place))"
            }.joined(separator: ",")
        }
    }

    static func name(_ element: Value, of path: String = "") -> String {
        element["title"]?.text.map(Visible.text) ?? Tree.compact(element, of: path)
    }

    static func differences(by change: Change) -> String {
        differences(change.old ?? .null, change.new ?? .null, of: change.path)
    }

    static func differences(_ old: Value, _ new: Value, of path: String = "") -> String {
        names(old, new).filter { old[$0] != new[$0] }.map { name in
            "\(Visible.text(name)) \(value(name, in: old, path)) → \(value(name, in: new, path))"
        }.joined(separator: ", ")
    }

    private static func names(_ old: Value, _ new: Value) -> [String] {
        var names = (old.record ?? []).map(\.name)
        for field in new.record ?? [] where old[field.name] == nil { names.append(field.name) }
        return names
    }

    private static func value(_ name: String, in record: Value, _ path: String) -> String {
        record[name].map { Tree.compact($0, of: path + "." + name) } ?? "none"
    }

    private static func index(_ index: Int?) -> String { index.map { String($0 + 1) } ?? "?" }
}
