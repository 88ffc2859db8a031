import Dates

extension QuickCapture {
    /// That the end of the title was meant for a day, a time or a rule and is none.
    ///
    /// `“31 feb” is no day: it stays in the title.`
    ///
    /// - Parameters:
    ///   - reader: what a date means; `nil`: no date was looked for.
    ///   - takesRecurrence: whether a rule was looked for.
    func doubt(_ reader: DateReader?, takesRecurrence: Bool = true) -> String? {
        if let reader, due == nil {
            for count in [3, 2, 1] where title.count > count && DateReader.isImpossibleDay(Array(title.suffix(count))) {
                // Version 31.2. is none.
                if count == 1, Self.numbered.contains(title[title.count - 2].lowercased()) { return nil }
                return Self.doubt(title.suffix(count), "day")
            }
            if let time = title.last, DateReader.isImpossibleTime(time), isBehindDay(reader) { return Self.doubt([time], "time") }
        }
        guard takesRecurrence, recurrence == nil, let every = title.lastIndex(where: { $0.lowercased() == "every" }), every > 0,
            let shift = Self.shift(title[(every + 1)...].joined(separator: " ")), Recurrence(every: shift) == nil
        else { return nil }
        return Self.doubt(title[every...], "rule")
    }

    /// Whether before the last word of the title stands what a time follows; alone `25:10` may be a verse, or how a match ended.
    private func isBehindDay(_ reader: DateReader) -> Bool {
        let before = QuickCapture(Array(title.dropLast()), reader: reader)
        return before.due.map { $0.minute == nil } ?? (before.recurrence != nil || before.title.last?.lowercased() == "at")
    }

    /// `5 minutes`, or `hour` for one of them.
    private static func shift(_ words: String) -> TimeShift? { TimeShift(words) ?? TimeShift("1 " + words) }

    private static func doubt(_ words: some Sequence<String>, _ what: String) -> String {
        Visible.text("“\(words.joined(separator: " "))” is no \(what): it stays in the title.")
    }
}
