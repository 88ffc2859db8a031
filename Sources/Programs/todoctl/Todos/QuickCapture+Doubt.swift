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
            let isTimed = title.last.flatMap { try? reader.due($0) }?.minute != nil
            var rest = isTimed ? title.dropLast() : title
            if isTimed { Self.takeLeading(&rest) }
            if let count = Self.impossibleDay(endingIn: rest) {
                return Self.doubt(title[(rest.count - count)...], "day")
            }
            // With its half of the day it is nothing else; alone 25:10 may be a verse, or how a match ended.
            if let time = title.last, DateReader.isImpossibleTime(time), !time.contains(":") || isBehindDay(reader) {
                return Self.doubt([time], "time")
            }
        }
        guard takesRecurrence, recurrence == nil, let every = title.lastIndex(where: { $0.lowercased() == "every" }), every > 0,
            let shift = Self.shift(title[(every + 1)...].joined(separator: " ")), Recurrence(every: shift) == nil
        else { return nil }
        return Self.doubt(title[every...], "rule")
    }

    /// How many words at the end of some are a day that no month has; `nil` where none are, or all.
    static func impossibleDay(endingIn words: some BidirectionalCollection<String>) -> Int? {
        for count in [3, 2, 1] where words.count > count && DateReader.isImpossibleDay(Array(words.suffix(count))) {
            // Version 31.2. is none.
            let isNumber = count == 1 && words.dropLast().last.map { numbered.contains($0.lowercased()) } == true
            return isNumber ? nil : count
        }
        return nil
    }

    /// Whether before the last word of the title stands what a time follows.
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
