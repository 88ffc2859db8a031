import Chronicle
import Dates
import Terminal
import TodoAPI

/// A line of the time strip: texts at columns without overlap; earlier ones have priority.
struct StripLine {
    private let width: Int
    private var pieces: [(column: Int, text: StyledText, width: Int)] = []
    private var isTaken: [Bool]

    init(width: Int) {
        self.width = max(width, 0)
        isTaken = Array(repeating: false, count: max(width, 0))
    }

    /// Puts a sign with its words at the right or left, or the sign alone, if there is space.
    mutating func put(_ sign: String, _ words: String = "", _ role: TextRole, at column: Int) {
        let right = sign + words
        if take(right, role, at: column) { return }
        if !words.isEmpty, take(words + sign, role, at: column - Width.columns(words)) { return }
        _ = take(sign, role, at: column)
    }

    mutating func put(_ words: String, _ role: TextRole, around columns: Range<Int>) {
        _ = take(words, role, at: (columns.lowerBound + columns.upperBound - Width.columns(words)) / 2)
    }

    mutating func put(words: String, _ role: TextRole, at column: Int) { _ = take(words, role, at: column) }

    mutating func put(apart sign: String, _ role: TextRole, at column: Int) {
        guard isTaken.indices.contains(column), !isTaken[max(column - 1, 0)..<min(column + 2, width)].contains(true) else {
            return
        }
        _ = take(sign, role, at: column)
    }

    private mutating func take(_ text: String, _ role: TextRole, at column: Int) -> Bool {
        let columns = Width.columns(text)
        guard column >= 0, column + columns <= width, columns > 0 else { return false }
        // Words keep a free column between them.
        let around = max(column - 1, 0)..<min(column + columns + 1, width)
        guard !isTaken[columns > 1 ? around : column..<column + columns].contains(true) else { return false }
        for place in column..<column + columns { isTaken[place] = true }
        pieces.append((column, StyledText(text, role), columns))
        return true
    }

    var spans: [StyledText] {
        var spans: [StyledText] = []
        var column = 0
        for piece in pieces.sorted(by: { $0.column < $1.column }) {
            if piece.column > column { spans.append(StyledText(String(repeating: " ", count: piece.column - column))) }
            spans.append(piece.text)
            column = piece.column + piece.width
        }
        return spans
    }
}

extension TimeStrip {
    func calendar(_ zone: Zone, today: Day) -> [StyledText] {
        var line = StripLine(width: width)
        guard let span else { return [] }
        let begin = zone.moment(at: span.lowerBound / 1_000_000)
        let days = zone.moment(at: span.upperBound / 1_000_000).day.number - begin.day.number
        line.put(words: Self.name(begin.day, days, today), .dim, at: 0)
        for (instant, words) in Self.boundaries(span, zone, days, today) {
            if let column = column(at: instant * 1_000_000) { line.put(words: words, .dim, at: column) }
        }
        return line.spans
    }

    private static func name(_ day: Day, _ days: Int, _ today: Day) -> String {
        switch days {
        case 401...: day.short.split(separator: " ").dropFirst(2).joined(separator: " ")
        case 2...7: day.brief(on: today).split(separator: " ").prefix(2).joined(separator: " ")
        default: day.brief(on: today)
        }
    }

    /// The starts of hours, days or months in seconds since 1970, with their labels.
    private static func boundaries(
        _ span: ClosedRange<Int64>, _ zone: Zone, _ days: Int, _ today: Day
    ) -> [(instant: Int64, words: String)] {
        let begin = zone.moment(at: span.lowerBound / 1_000_000).day
        if days <= 1 {
            return (0...days).flatMap { day in
                (0..<24).map { hour in
                    let day = begin.adding(days: day)
                    return (zone.instant(day, hour * 3600), hour == 0 ? day.brief(on: today) : Due.clock(hour * 60))
                }
            }
        }
        if days <= 400 {
            return (1...days).map { number in
                let day = begin.adding(days: number)
                return (zone.instant(day, 0), name(day, days, today))
            }
        }
        // At most about 100 labels.
        let months = max(1, days / 31 / 100)
        return (1...max(1, days / 30 / months)).compactMap { number in
            guard let first = Day(year: begin.year, month: begin.month, day: 1)?.adding(months: number * months) else {
                return nil
            }
            return (zone.instant(first, 0), name(first, days, today))
        }
    }

    static func quiet(_ length: Int64) -> String {
        let minutes = length / 60_000_000
        let words =
            switch minutes {
            case (2 * 1440)...: Digits.counted(minutes / 1440, "day")
            case 120...: Digits.counted(minutes / 60, "hour")
            default: Digits.counted(max(minutes, 1), "minute")
            }
        return words + " quiet"
    }
}

struct StripMarks {
    private static let alertsMax = 200

    struct Invariant: Equatable {
        var name: String
        var record: UInt64
        var holds: Bool
    }

    private(set) var alerts: [UInt64] = []
    private(set) var invariants: [Invariant] = []
    var areAlertsStale = true
    var areInvariantsStale = true
    private var incoming: [UInt64] = []

    /// Blame uses the path index and reads no records.
    static let alertsCall = ScreenCall(BlameMethod.self, .init(path: "alerts.items", history: true), over: .own, more: true)
    static let invariantsCall = ScreenCall(InvariantsMethod.self, NoFields(), over: .questions, more: true)

    mutating func take(alerts answer: BlameMethod.Output, isLast: Bool) {
        incoming += answer.origins.map(\.sequence)
        guard isLast else { return }
        (alerts, incoming) = (incoming.suffix(Self.alertsMax), [])
    }

    mutating func take(invariants answer: InvariantsMethod.Output) {
        invariants = answer.invariants.map { Invariant(name: $0.name, record: $0.record, holds: $0.holds != false) }
    }

    mutating func note(_ records: [RecordMessage], isGap: Bool) {
        if isGap || records.contains(where: { $0.action?["alerts"] != nil }) { areAlertsStale = true }
        if isGap || records.contains(where: { $0.kind == "invariant" }) { areInvariantsStale = true }
    }

    mutating func forgetAlerts() { incoming = [] }
}
