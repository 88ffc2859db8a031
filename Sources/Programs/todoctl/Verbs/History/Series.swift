import ArgumentParser
import Chronicle
import Dates
import Terminal
import TodoAPI

struct Series: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "series",
        abstract: "Show a number over time.",
        discussion: """
            EXAMPLES:
              todoctl series 'count(todos.items)'
              todoctl series 'counter.count' --every hour --from yesterday
              todoctl series 'count(t in todos.items: t.completed)' --every step
              todoctl series 'count(todos.items)' --every 1000 --numbers

            The number is taken after the last record of each day or hour of your clock, of each step, or after every N records. A
            terminal shows a plot; otherwise, and with --numbers, each line has the time or record and the number, or - if there
            is none.
            """)

    @OptionGroup var options: Options

    @Argument(help: "The expression of the number.")
    var expression: String

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("day, hour, step, or a number of records.", valueName: "pace"),
        completion: .list(["day", "hour", "step"]))
    var every = "day"

    @OptionGroup var moments: MomentRange

    @Flag(help: "Show lines instead of a plot.")
    var numbers = false

    private var count: UInt64? { UInt64(every).flatMap { (1...UInt64(Int64.exactMax)).contains($0) ? $0 : nil } }

    func validate() throws {
        guard ["day", "hour", "step"].contains(every) || count != nil else {
            throw ValidationError("--every takes day, hour, step or a number of records.")
        }
    }

    func run(_ session: Session) throws {
        let isOfTime = every == "day" || every == "hour"
        let range = try moments.points(session)
        let input = ScanMethod.Input(
            question: .values, expression: expression, from: range.first, to: range.last,
            every: count == nil ? .init(rawValue: every) : .records, count: count,
            offsets: isOfTime ? session.zone.offsets(until: session.now) : nil)
        var drawing = session.isTerminal && !numbers && !session.isJSON ? Drawing(self, session) : nil
        var progress = Progress()
        defer { progress.clear() }
        try session.client.stream(ScanMethod.self, input) { answer throws(Failure) in
            let page = try answer.output()
            if let reached = page.reached {
                progress.show(record: reached)
                return .more
            }
            let points = page.points ?? []
            if drawing != nil {
                for point in points {
                    drawing?.put(point)
                    progress.show(record: point.sequence)
                }
            } else if !points.isEmpty {
                progress.clear()
                try session.show(answer) { _ in points.map { line($0, session) } }
                session.output.flush()
            }
            return .more
        }
        progress.clear()
        if let drawing { session.show(drawing.lines) }
    }

    private func line(_ point: ScanPointMessage, _ session: Session) -> String {
        label(point, session) + "  " + (point.value.map(String.init) ?? "-")
    }

    /// The time or record of a point.
    fileprivate func label(_ point: ScanPointMessage, _ session: Session) -> String {
        let moment = session.moment(point.time ?? 0)
        switch every {
        case "day": return moment.day.text
        case "hour": return "\(moment.day.text) \(Due.clock(moment.second / 3_600 * 60))"
        default: return String(point.sequence)
        }
    }

    /// A plot that is drawn while its points arrive.
    private struct Drawing {
        private let verb: Series
        private let session: Session
        private var plot = Plot()
        private var count = 0
        private var first: (place: Int, label: String)?
        private var last = ""

        init(_ verb: Series, _ session: Session) { (self.verb, self.session) = (verb, session) }

        mutating func put(_ point: ScanPointMessage) {
            let place = place(of: point)
            last = verb.label(point, session)
            if first == nil { first = (place, last) }
            plot.put(point.value, at: max(0, place - (first?.place ?? 0)))
            count += 1
        }

        // Days and hours without a record have a bar as well.
        private func place(of point: ScanPointMessage) -> Int {
            let moment = session.moment(point.time ?? 0)
            switch verb.every {
            case "day": return moment.day.number
            case "hour": return moment.day.number * 24 + moment.second / 3_600
            default: return count
            }
        }

        var lines: [String] {
            guard let first else { return ["There is no record."] }
            return plot.lines(columns: Width.ofTerminal, from: first.label, to: last)
        }
    }
}

extension Zone {
    /// The offsets of the time zone since 1970.
    func offsets(until now: Moment) -> [ClockOffsetMessage] {
        var offsets = [ClockOffsetMessage(from: 0, seconds: Int64(offset(0)))]
        // A fast clock writes later records, which need their offsets as well.
        for day in 1...Int64(max(1, now.day.number + 366)) where offset(day * 86_400) != offset((day - 1) * 86_400) {
            var (before, after) = ((day - 1) * 86_400, day * 86_400)
            while after - before > 1 {
                let middle = before + (after - before) / 2
                if offset(middle) == offset(before) { before = middle } else { after = middle }
            }
            offsets.append(ClockOffsetMessage(from: after * 1_000_000, seconds: Int64(offset(after))))
        }
        return Array(offsets.suffix(1_024))
    }
}
