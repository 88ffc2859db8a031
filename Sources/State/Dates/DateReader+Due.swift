extension DateReader {
    /// Parses a due date: a day, or a day and a minute.
    ///
    /// The result is local time without a zone, so a time that daylight saving skips or repeats is kept as written. `in 2 hours` is
    /// converted to the local time after that duration.
    ///
    /// - Throws: a mistake, also for seconds and for a UTC offset.
    public func due(_ text: String) throws(DateMistake) -> Due {
        let words = DateWords.words(of: text)
        guard !words.isEmpty else { throw DateMistake(message: "A date is empty. \(Self.dueForms)") }
        switch try reading(words) {
        case .day(let day): return Due(day: day)
        case .time(let day, let clock): return Due(day: day, minute: try minute(of: clock, in: text))
        case .shift(let shift):
            if let day = shift.day(after: today) { return Due(day: day) }
            guard let seconds = shift.seconds else { break }
            guard shift.unit != .second else { throw tooExact(text) }
            let moment = zone.moment(at: now + seconds)
            return Due(day: moment.day, minute: moment.second / 60)
        case nil: break
        }
        throw DateMistake(message: "I don't understand the date “\(text)”. \(Self.dueForms)")
    }

    private static let dueForms = "Try tomorrow, “friday 14:30” or 2026-12-01."

    private func minute(of clock: ClockReading, in text: String) throws(DateMistake) -> Int {
        guard !clock.hasSeconds else { throw tooExact(text) }
        guard clock.offset == nil else {
            throw DateMistake(message: "A date has no offset: “\(text)”. Write the time that your clock will show.")
        }
        return clock.second / 60
    }

    private func tooExact(_ text: String) -> DateMistake {
        DateMistake(message: "A date has a minute, but no seconds: “\(text)”.")
    }
}
