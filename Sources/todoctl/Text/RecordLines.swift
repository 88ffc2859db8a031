import Varlink

/// Records of the log as lines for a person.
struct RecordLines {
    var zone: Zone
    var paint = Paint(isTerminal: false) { _ in nil }

    /// `12  2026-12-01 14:30:05  uid 1000  todos.complete id 3`.
    func line(_ record: JSON, tellsCause: Bool = true) -> String {
        let sequence = record["sequence"]?.int ?? 0
        let time = zone.moment(at: (record["time"]?.int ?? 0) / 1_000_000).text
        let origin = record["origin"]?.int ?? 0
        var line = "\(sequence)  \(time)  uid \(origin)  \(RecordLines.what(record))"
        if let outcome = record["outcome"]?.string { line += "  \(Visible.text(outcome))" }
        if let reason = record["reason"]?.string { line += ": \(Visible.text(reason))" }
        if tellsCause, let cause = record["cause"]?["sequence"]?.int { line += "  (for \(cause))" }
        if let undoes = record["undoes"]?.int { line += "  (undoes \(undoes))" }
        return line
    }

    /// A record or a run of them, and below it what that changed; says so where that was asked for and was too much.
    func lines(_ record: JSON, _ detail: JSON, tellsChanges: Bool = false) -> [String] {
        var line = line(record)
        let last = record["sequence"]?.int ?? 0
        let first = detail["first"]?.int ?? last
        if first < last {
            line = "\(first)–" + line + "  (\(Digits.grouped(Int(clamping: last - first + 1))) records)"
        }
        guard let changes = detail["changes"]?.array else {
            let advice = "    It changed more than is told here: todoctl diff \(max(0, first - 1)) \(last) shows it."
            return tellsChanges ? [line, advice] : [line]
        }
        return [line] + changes.map { "    " + ChangeLines.line($0, paint: paint) }
    }

    /// The action as a path of names and its payload; of a record without one its kind, and of a bookmark its name and place.
    static func what(_ record: JSON) -> String {
        let path = path(record)
        guard !path.isEmpty else {
            let place = record["at"]?.int.map { "at \($0)" } ?? "removed"
            let name = record["bookmark"]?.string.map { " \(Visible.text($0)) \(place)" }
            return Visible.text(record["kind"]?.string ?? "?") + (name ?? "")
        }
        let payload = path.reduce(record["action"] ?? .null) { $0[$1] ?? .null }
        let details = Outline.compact(payload)
        return path.map(Visible.text).joined(separator: ".") + (details.isEmpty ? "" : " " + details)
    }

    /// The names of the feature and the action; none of a record without an action.
    static func path(_ record: JSON) -> [String] {
        var path: [String] = []
        var rest = record["action"] ?? .null
        while path.count < 2, case .object(let members) = rest, members.count == 1 {
            path.append(members[0].name)
            rest = members[0].value
        }
        return path
    }
}

/// Changes of the state as lines for a person.
enum ChangeLines {
    /// `+ todos.items 3: Buy the milk`, `counter.count: 1 → 2`.
    static func line(_ change: JSON, paint: Paint) -> String {
        let path = Visible.text(change["path"]?.string ?? "")
        let id = change["id"]?.int.map { " \($0)" } ?? ""
        let old = change["old"] ?? .null
        let new = change["new"] ?? .null
        switch change["kind"]?.string {
        case "insert": return paint("+ \(path)\(id): \(name(new))", .green)
        case "remove": return paint("- \(path)\(id): \(name(old))", .red)
        case "replace": return "~ \(path)\(id): \(differences(old, new))"
        case "move": return "> \(path)\(id): \(place(change["from"])) → \(place(change["at"]))"
        default:
            let prefix = "  " + (path.isEmpty ? "" : path + ".")
            return names(old, new).map { name in
                "\(prefix)\(Visible.text(name)): \(value(name, of: old)) → \(value(name, of: new))"
            }.joined(separator: ",")
        }
    }

    /// What a person calls an element: its title, if it has one.
    private static func name(_ element: JSON) -> String {
        element["title"]?.string.map(Visible.text) ?? Outline.compact(element)
    }

    private static func differences(_ old: JSON, _ new: JSON) -> String {
        names(old, new).filter { old[$0] != new[$0] }.map { name in
            "\(Visible.text(name)) \(value(name, of: old)) → \(value(name, of: new))"
        }.joined(separator: ", ")
    }

    /// The fields of either.
    private static func names(_ old: JSON, _ new: JSON) -> [String] {
        var names = (old.object ?? []).map(\.name)
        for member in new.object ?? [] where old[member.name] == nil { names.append(member.name) }
        return names
    }

    private static func value(_ name: String, of json: JSON) -> String {
        json[name].map { Outline.compact($0, of: name) } ?? "none"
    }

    private static func place(_ index: JSON?) -> String { index?.int.map { String($0 + 1) } ?? "?" }
}
