import Varlink

/// What an altered history comes to, as lines for a person.
struct AlternativeLines {
    var paint: Paint

    /// What became of records, and which commands would and would not have run.
    func head(_ reply: [JSON.Member]) -> [String] {
        let records = reply["records"]?.array ?? []
        var lines = records.map(record)
        lines += (reply["notRun"]?.array ?? []).map(missing)
        lines += (reply["wouldRun"]?.array ?? []).map(asked)
        if reply["cut"]?.bool == true { lines.append(paint("There is more than is shown.", .yellow)) }
        return lines
    }

    private func record(_ record: JSON) -> String {
        let actions = (record["actions"]?.array ?? []).map(action).joined(separator: ", ")
        let what: String
        switch record["kind"]?.string {
        case "skipped": what = paint("skipped", .dim)
        case "vanished": what = paint("goes with the command that brought it", .dim)
        case "edited": what = actions.isEmpty ? "would bring nothing" : "would be \(actions)"
        case "inserted": what = "would be \(actions)"
        case "moved": what = "would come here: \(actions)"
        case "replaced": what = paint("goes with the record that stands for it", .dim)
        case "anew": what = actions.isEmpty ? "would take back nothing" : "would take back by \(actions)"
        case "outdated": what = "can't be computed anew, and stays \(actions)"
        case "ended": what = "would tell of an end: \(actions)"
        default: what = Visible.text(record["kind"]?.string ?? "?")
        }
        return "\(place(record))  \(what)"
    }

    private func missing(_ missing: JSON) -> String {
        let command = missing["command"] ?? .null
        let sequence = command["id"]?["sequence"]?.int ?? 0
        var line = "- would not run \(name(command))  (for \(sequence)"
        if missing["reason"]?.string == "displaced" { line += ", another one takes its place" }
        if let outcome = missing["outcome"]?.string { line += "; in the log: \(Visible.text(outcome))" }
        return paint(line + ")", .red)
    }

    private func asked(_ asked: JSON) -> String {
        var line = "+ would run \(name(asked["command"] ?? .null))  (for \(place(asked))"
        if asked["reason"]?.string == "notDisplaced" { line += ", which nothing takes back" }
        return paint(line + ")", .green)
    }

    private func name(_ command: JSON) -> String {
        let details = Outline.compact(command["arguments"] ?? .null)
        return Visible.text(command["name"]?.string ?? "?") + (details.isEmpty ? "" : " " + details)
    }

    private func action(_ action: JSON) -> String {
        RecordLines.what(.object([.init(name: "action", value: action)]))
    }

    private func place(_ record: JSON) -> String {
        let insertion = record["insertion"]?.int ?? 0
        return "\(record["sequence"]?.int ?? 0)" + (insertion == 0 ? "" : ".\(insertion)")
    }
}
