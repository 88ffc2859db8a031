import Chronicle
import Dates
import TodoAPI
import Varlink

extension Session {
    /// Parses a moment and prints the time that was understood.
    func point(_ text: String, edge: PointParser.Edge) throws(Failure) -> Point {
        let reading: PointParser.Reading
        do {
            reading = try PointParser(now: Clock.now() / 1_000_000, zone: zone, weekBegin: Settings.user.weekBegin)
                .point(text, edge: edge)
        } catch {
            throw Failure(error)
        }
        if let time = reading.time, !isJSON { Output.complain("\(Visible.text(text)): \(spelled(time))") }
        var point = reading.point
        // Later than any log, and within the integers that the daemon accepts.
        point.time = point.time.map { min($0, Int64.exactMax) }
        return point
    }

    func point(_ text: String?, edge: PointParser.Edge) throws(Failure) -> Point? {
        guard let text else { return nil }
        let point: Point = try point(text, edge: edge)
        return point
    }

    /// Parses a record: its sequence number, or `@-3` for the third before the last.
    func record(_ text: String) throws(Failure) -> UInt64 {
        let point = try point(text, edge: .moment)
        if let sequence = point.sequence {
            guard sequence > 0 else { throw Failure(.usage, "There is no record 0; they begin with 1.") }
            return sequence
        }
        guard let back = point.back else {
            throw Failure(
                .usage,
                "\(Visible.text(text)) is not a record: expected its sequence number, or @-3 for the third before the last.")
        }
        let last = try client.call(PingMethod.self, NoFields()).sequence
        guard back < last else {
            throw Failure(.refused, "\(Visible.text(text)): the log ends with record \(last). To see it: todoctl log --limit 10")
        }
        return last - back
    }

    /// The time that a point names: a given time, or now; `nil` for a record or a bookmark.
    func moment(namedBy point: Point?) -> Moment? {
        guard let point, point != .now else { return now }
        return point.before == nil ? point.time.map(moment) : nil
    }

    /// Prints which moment is shown if it is not the present.
    func tellMoment(_ sequence: UInt64, _ time: Int64?, folded: UInt64?) {
        guard !isJSON, let time else { return }
        output.flush()
        Output.complain(sequence == 0 ? "before the first record" : "as of record \(sequence), \(spelled(time))")
        if let folded, folded > Session.shortFoldRecords {
            Output.complain(
                "\(Digits.counted(folded, "record was", "records were")) folded; there is no nearer snapshot")
        }
    }

    // The usual distance of snapshots, as long as they take at most half of the log's size.
    private static let shortFoldRecords = 65_536

    private func spelled(_ time: Int64) -> String {
        // Rounds down, also for negative times.
        let seconds = time / 1_000_000 - (time % 1_000_000 < 0 ? 1 : 0)
        return "\(zone.moment(at: seconds).text) \(zone.offsetText(at: seconds))"
    }
}
