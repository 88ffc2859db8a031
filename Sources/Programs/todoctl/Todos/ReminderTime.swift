import Dates
import TodoFormats

enum ReminderTime: Equatable {
    case at(Due)
    /// Relative to the due date, with the text.
    case before(TimeShift, text: String)
    case never

    /// Parses `friday 9:00`, `1h before` or `none`.
    init(_ text: String, _ reader: DateReader) throws(DateMistake) {
        if text.lowercased() == "none" {
            self = .never
        } else if let shift = Self.shift(text) {
            self = .before(shift, text: text)
        } else {
            let time = try reader.due(text)
            self = .at(Due(day: time.day, minute: time.minute ?? Due.morningMinute))
        }
    }

    var isCounted: Bool {
        if case .before = self { true } else { false }
    }

    /// The time of the reminder; `nil` for none.
    ///
    /// - Parameter id: the existing todo, for errors.
    /// - Throws: if the time has passed, or if it is relative and there is no due date.
    func time(before due: Due?, of id: Int64? = nil, at now: Moment) throws(Failure) -> Due? {
        let time: Due
        switch self {
        case .never: return nil
        case .at(let said): time = said
        case .before(let shift, let text):
            guard let due else {
                let what = id.map { "todo \($0) has none" } ?? "give it as well"
                throw Failure(.usage, Visible.text("“\(text)” is relative to the due date; \(what). To say it: --due DATE"))
            }
            time = Self.time(shift, before: due)
        }
        guard !time.isOver(at: now) else {
            let place = id.map { "Todo \($0): that" } ?? "That"
            throw Failure(
                .usage, "\(place) is past: \(time.long). Say when to remind from now on, such as --remind \"tomorrow 9:00\".")
        }
        return time
    }

    /// Joins the words after `--remind`, so that `--remind 1h before` needs no quotes.
    static func joined(_ arguments: [String]) -> [String] {
        guard let verb = arguments.first, ["add", "edit"].contains(verb) else { return arguments }
        var joined: [String] = []
        var rest = arguments[...]
        while let word = rest.popFirst() {
            joined.append(word)
            if word == "--" { return joined + rest }
            let isOption = word == "--remind" || word == "-r"
            guard isOption || word.hasPrefix("--remind=") else { continue }
            let begun: [String] = isOption ? [] : [String(word.dropFirst("--remind=".count))]
            // `1h before`, `2 days before`.
            for count in 1...3 where count <= rest.count {
                let text = (begun + Array(rest.prefix(count))).joined(separator: " ")
                guard shift(text) != nil else { continue }
                if !isOption { joined.removeLast() }
                joined.append(isOption ? text : "--remind=" + text)
                rest = rest.dropFirst(count)
                break
            }
        }
        return joined
    }

    /// `1h before`, `2 days before`, so much earlier.
    private static func shift(_ text: String) -> TimeShift? {
        let words = DateWords.words(of: text)
        guard words.last == "before" else { return nil }
        let reader = DateReader(now: 0, zone: Zone { _ in 0 }, direction: .past)
        guard case .shift(let shift)? = try? reader.reading(Array(words.dropLast())), shift.count < 0 else { return nil }
        return shift
    }

    /// The distance to the due date, so that the reminder moves with it; `nil` for a time, and for months because their length
    /// varies.
    var microsecondsBefore: Int64? {
        guard case .before(let shift, _) = self else { return nil }
        return Self.minutes(before: shift).map { Int64($0) * 60_000_000 }
    }

    private static func minutes(before shift: TimeShift) -> Int? {
        switch shift.unit {
        case .second, .minute, .hour: shift.seconds.map { -Int($0 / 60) }
        case .day: -shift.count * 1440
        case .week: -shift.count * 7 * 1440
        case .month, .year: nil
        }
    }

    private static func time(_ shift: TimeShift, before due: Due) -> Due {
        guard let before = minutes(before: shift) else {
            return Due(day: shift.day(after: due.day) ?? due.day, minute: due.minute ?? Due.morningMinute)
        }
        return due.reminder(minutesBefore: before)
    }

    /// The time of an imported reminder; `nil` without a due date or before the year 1.
    static func time(_ reminder: ForeignReminder, before due: Due?) -> Due? {
        switch reminder {
        case .at(let time): return time
        case .before(let minutes):
            let time = due?.reminder(minutesBefore: minutes)
            return time.flatMap { $0.day.year > 0 ? $0 : nil }
        }
    }
}
