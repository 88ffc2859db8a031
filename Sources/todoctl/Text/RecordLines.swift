import Varlink

/// Records of the log as lines for a person.
struct RecordLines {
    var zone: Zone

    /// `12  2026-12-01 14:30:05  uid 1000  todos.complete id 3`.
    func line(_ record: JSON) -> String {
        let sequence = record["sequence"]?.int ?? 0
        let time = zone.moment(at: (record["time"]?.int ?? 0) / 1_000_000).text
        let origin = record["origin"]?.int ?? 0
        var line = "\(sequence)  \(time)  uid \(origin)  \(RecordLines.what(record))"
        if let outcome = record["outcome"]?.string { line += "  \(Visible.text(outcome))" }
        if let reason = record["reason"]?.string { line += ": \(Visible.text(reason))" }
        if let cause = record["cause"]?["sequence"]?.int { line += "  (for \(cause))" }
        if let undoes = record["undoes"]?.int { line += "  (undoes \(undoes))" }
        return line
    }

    /// The action as a path of names and its payload; the kind of a record without one.
    static func what(_ record: JSON) -> String {
        guard var payload = record["action"] else { return Visible.text(record["kind"]?.string ?? "?") }
        var path: [String] = []
        while path.count < 2, case .object(let members) = payload, members.count == 1 {
            path.append(Visible.text(members[0].name))
            payload = members[0].value
        }
        let details = Outline.compact(payload)
        return path.joined(separator: ".") + (details.isEmpty ? "" : " " + details)
    }
}
