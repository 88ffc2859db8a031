import ChronicleLog

/// The records and rows that truncating a log removes, as a list for people.
struct CutOff {
    static let namesMax = 20

    let lines: [String]

    init(of log: any ActionLog, downTo rows: DerivedRows) throws(ActionLogError) {
        let head = log.head
        var lines: [String] = []
        let count = head.sequence - rows.sequence
        if count > 0 {
            var first = head.time
            _ = try log.fold(from: rows.sequence + 1, through: rows.sequence + 1) { record, _ in
                first = record.time
                return true
            }
            lines.append(
                "records \(rows.sequence + 1) to \(head.sequence): \(count), "
                    + "from \(RestorePoint.text(first)) to \(RestorePoint.text(head.time))")
        }
        let open = try? log.outbox().filter { $0.id.sequence > rows.sequence }
        lines += Self.listed("open commands", (open ?? []).map { "\($0.id) \($0.call.name)" })
        lines += try Self.bookmarks(of: log, downTo: rows)
        lines += try Self.keys(of: log, downTo: rows)
        self.lines = lines
    }

    private static func bookmarks(of log: any ActionLog, downTo rows: DerivedRows) throws(ActionLogError) -> [String] {
        let stay = rows.standing.bookmarks.map { ExactText($0.name) }
        let gone = try log.bookmarks().filter { $0.record > rows.sequence }
        return listed(
            "bookmarks", gone.map { stay.contains(ExactText($0.name)) ? "\($0.name) (returns to its earlier position)" : $0.name }
        )
    }

    private static func keys(of log: any ActionLog, downTo rows: DerivedRows) throws(ActionLogError) -> [String] {
        var place: KeyPlace?
        var (names, count): ([String], Int) = ([], 0)
        repeat {
            place = try log.keys(after: place, rowsMax: 4_096) { place, row in
                guard row.first > rows.sequence else { return }
                count += 1
                if names.count < namesMax { names.append("\(place.key) of uid \(place.uid)") }
            }
        } while place != nil
        var lines = listed("keys", names, of: count)
        if let divided = rows.divided {
            lines.append(
                "the end of the dispatch with the key \(divided.place.key) of uid \(divided.place.uid), which began earlier")
        }
        return lines
    }

    private static func listed(_ kind: String, _ names: [String], of count: Int? = nil) -> [String] {
        let count = count ?? names.count
        guard count > 0 else { return [] }
        let more = count > namesMax ? " and \(count - namesMax) more" : ""
        return ["\(kind): \(count) (\(names.prefix(namesMax).joined(separator: ", "))\(more))"]
    }
}
