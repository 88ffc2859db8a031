import Dates

extension QuickCapture {
    /// A warning if the end of the title looks like an invalid day, time or rule, such as `31 feb`.
    ///
    /// - Parameters:
    ///   - reader: `nil` if no date was parsed.
    ///   - takesRecurrence: whether a rule was parsed.
    func warning(_ reader: DateReader?, takesRecurrence: Bool = true) -> String? {
        if let reader, due == nil {
            let isTimed = title.last.flatMap { try? reader.due($0) }?.minute != nil
            var rest = isTimed ? title.dropLast() : title
            if isTimed { Self.takeLeading(&rest) }
            if let count = Self.impossibleDay(endingIn: rest) {
                return Self.warning(title[(rest.count - count)...], "day")
            }
            // 25:10 alone may be a verse or a score, but not with am or pm.
            if let time = title.last, DateReader.isImpossibleTime(time), !time.contains(":") || isBehindDay(reader) {
                return Self.warning([time], "time")
            }
        }
        guard takesRecurrence, recurrence == nil, let every = title.lastIndex(where: { $0.lowercased() == "every" }), every > 0,
            let shift = Self.shift(title[(every + 1)...].joined(separator: " ")), Recurrence(every: shift) == nil
        else { return nil }
        return Self.warning(title[every...], "rule")
    }

    /// The number of words at the end that are a day that no month has; `nil` for no words or all words.
    static func impossibleDay(endingIn words: some BidirectionalCollection<String>) -> Int? {
        for count in [3, 2, 1] where words.count > count && DateReader.isImpossibleDay(Array(words.suffix(count))) {
            // For example "version 31.2.".
            let isNumber = count == 1 && words.dropLast().last.map { numbered.contains($0.lowercased()) } == true
            return isNumber ? nil : count
        }
        return nil
    }

    /// Whether the words before the last one can precede a time.
    private func isBehindDay(_ reader: DateReader) -> Bool {
        let before = QuickCapture(Array(title.dropLast()), reader: reader)
        return before.due.map { $0.minute == nil } ?? (before.recurrence != nil || before.title.last?.lowercased() == "at")
    }

    /// `5 minutes`, or `hour` for one hour.
    private static func shift(_ words: String) -> TimeShift? { TimeShift(words) ?? TimeShift("1 " + words) }

    private static func warning(_ words: some Sequence<String>, _ what: String) -> String {
        Visible.text("“\(words.joined(separator: " "))” is no \(what): it stays in the title.")
    }
}
