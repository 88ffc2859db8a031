import Varlink

/// A star button as a line for a person.
enum StarLine {
    /// One that nobody pressed stands as they all begin.
    static let unpressed: JSON = ["phase": "unstar", "starCount": 0]

    /// `★ swift  star  1`.
    static func text(_ id: String, _ star: JSON) -> String {
        "\(text(id, phase: star["phase"]?.string ?? "?"))  \(star["starCount"]?.int ?? 0)"
    }

    /// `… swift  staring`.
    static func text(_ id: String, phase: String) -> String {
        let mark = phase == "star" ? "★" : phase == "unstar" ? "☆" : "…"
        return "\(mark) \(Visible.text(id))  \(Visible.text(phase))"
    }

    /// The buttons of a state, or the one that is meant.
    static func stars(_ state: JSON, only id: String?) -> [JSON.Member] {
        let stars = state["stars"]?["items"]?.object ?? []
        guard let id else { return stars }
        return [stars.first { $0.name == id } ?? .init(name: id, value: unpressed)]
    }

    /// The button that a change is about, as it is after that; `nil` if it is about none.
    static func star(_ change: JSON) -> JSON.Member? {
        guard change["path"]?.string == "stars.items" else { return nil }
        if let new = change["new"]?.object?.first { return new }
        // It stands again as it began.
        return (change["old"]?.object?.first).map { .init(name: $0.name, value: unpressed) }
    }

    /// A reply to whoever follows the state, with that of it which is about one button; `nil` if nothing is.
    static func reply(_ members: [JSON.Member], only id: String) -> [JSON.Member]? {
        let changes = members["changes"]?.array?.filter { star($0)?.name == id }
        guard changes?.isEmpty != true else { return nil }
        let all = members["records"]?.array ?? []
        let records = all.filter { $0["action"]?["stars"]?.object?.first?.value["id"]?.string == id }
        return members.map { member in
            switch member.name {
            case "state": .init(name: "state", value: ["stars": ["items": .object(stars(member.value, only: id))]])
            case "changes": .init(name: "changes", value: changes.map { .array($0) } ?? .null)
            case "records": .init(name: "records", value: .array(records))
            case "commands":
                .init(
                    name: "commands",
                    value: .array((member.value.array ?? []).filter { $0["arguments"]?["id"]?.string == id }))
            case "skipped":
                .init(name: "skipped", value: .int((member.value.int ?? 0) + Int64(all.count - records.count)))
            default: member
            }
        }
    }
}
