import Varlink

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
