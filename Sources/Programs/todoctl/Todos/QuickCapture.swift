import ChronicleValues
import Dates

/// Parses the fields in the words of a new todo, if they are unambiguous: `Call the bank friday 14:30 #work !high`.
///
/// Tags, a priority and `after:12` may be anywhere. A date, a rule (`every monday 9:00`), or a date and then a rule are at the
/// end. A quoted argument is one word and is not parsed.
struct QuickCapture: Equatable {
    var title: [String]
    var tags: [String] = []
    var priority: Priority?
    var after: [Int64] = []
    var due: Due?
    var recurrence: Recurrence?
    /// The time of day of the rule, in minutes.
    var minute: Int?

    /// Maximum length of a date: `the last friday of december 14:30` has six words.
    private static let dateWordsMax = 6
    /// Maximum length of a rule: `every monday wednesday friday and sunday at 14:30` has eight words.
    private static let ruleWordsMax = 10
    /// Words before a date that are removed with it.
    private static let leading: Set<String> = ["at", "on", "by", "due"]
    /// Words that make a following date or rule part of the title: `plan for next year`, `rest until friday`.
    private static let binding: Set<String> = [
        "for", "of", "from", "about", "since", "the", "a", "an", "every", "each", "and", "or", "with", "to", "than", "like", "my",
        "last", "next", "in", "until", "till", "before", "after", "between", "through", "during", "past",
    ]
    /// Words that make a following `1.2.` a number.
    static let numbered: Set<String> = ["version", "release", "chapter", "section"]
    /// Rules without `every`.
    private static let rules: Set<String> = ["daily", "weekly", "monthly", "quarterly", "yearly", "annually"]
    /// Dates that are more often other words.
    private static let ambiguous: Set<String> = ["sun", "sat", "wed", "mon", "fri", "tue", "tues", "thu", "thur", "thurs", "now"]

    /// - Parameters:
    ///   - reader: `nil` to parse no date.
    ///   - takesPriority: whether a priority is parsed.
    ///   - takesRecurrence: whether a rule is parsed.
    init(_ words: [String], reader: DateReader?, takesPriority: Bool = true, takesRecurrence: Bool = true) {
        var rest: [String] = []
        for word in words {
            if let named = Self.tags(word) {
                for tag in named where !tags.contains(tag) { tags.append(tag) }
            } else if takesPriority, priority == nil, word.hasPrefix("!"),
                let named = Priority.names.firstIndex(of: word.dropFirst().lowercased())
            {
                priority = Priority(level: named)
            } else if word.hasPrefix("after:"), let others = TodoIDs(argument: String(word.dropFirst("after:".count))) {
                for id in others.ids where !after.contains(id) { after.append(id) }
            } else {
                rest.append(word)
            }
        }
        // A title that consists of marks only is kept.
        if rest.isEmpty { (rest, tags, priority, after) = (words, [], nil, []) }
        title = rest
        if takesRecurrence { takeRecurrence(mayHaveTime: reader != nil) }
        if let reader { takeDate(reader) }
    }

    /// Refuses a misspelt priority: `!hgih`.
    func checkPriority() throws(Failure) {
        guard priority == nil, title.count > 1 else { return }
        for word in title where word.hasPrefix("!") {
            let name = String(word.dropFirst())
            // Shorter words are similar to everything.
            guard name.count > 2, name.allSatisfy(\.isLetter),
                let question = Spelling.question(about: name, among: Priority.names, behind: "!")
            else { continue }
            throw Failure(
                .usage, Visible.text("There is no priority \(name); \(question)") + "\nTo keep the word in the title: --plain")
        }
    }

    /// Takes all words as the title.
    init(plain words: [String]) { title = words }

    private static func tags(_ word: String) -> [String]? {
        guard Tags.isSigned(word), word.dropFirst().first?.isLetter == true,
            !word.contains(where: \.isWhitespace)
        else { return nil }
        return Tags.listed(word.dropFirst())
    }

    private typealias Rule = (begin: Int, recurrence: Recurrence, minute: Int?)

    /// Removes a rule from the end of the title: `every monday 9:00`, `3 days after done` or `daily`.
    private mutating func takeRecurrence(mayHaveTime: Bool) {
        guard let rule = Self.rule(endingIn: title, mayHaveTime: mayHaveTime) else { return }
        title = Array(title[..<rule.begin])
        (recurrence, minute) = (rule.recurrence, rule.minute)
    }

    private static func rule(endingIn title: [String], mayHaveTime: Bool = true) -> Rule? {
        for begin in ruleBegins(in: title) {
            let words = title[begin...]
            guard words.count <= ruleWordsMax, !words.contains(where: { $0.contains(where: \.isWhitespace) }),
                let reading = try? Recurrence.reading(words.joined(separator: " ")), mayHaveTime || reading.minute == nil
            else { continue }
            return (begin, reading.recurrence, reading.minute)
        }
        return nil
    }

    /// The indices where a rule may begin; not the first, because a rule alone is a title.
    private static func ruleBegins(in title: [String]) -> [Int] {
        let words = title.map { $0.lowercased() }
        var begins = words.lastIndex(of: "every").map { [$0] } ?? []
        if let after = words.lastIndex(of: "after"), words[(after + 1)...].first == "done" { begins += [after - 2, after - 1] }
        if let rule = words.lastIndex(where: rules.contains) { begins.append(rule) }
        return begins.filter { $0 > 0 && !binding.contains(words[$0 - 1]) }
    }

    private mutating func takeDate(_ reader: DateReader) {
        // A date alone is a title.
        guard (try? reader.due(title.joined(separator: " "))) == nil else { return }
        let today = reader.zone.moment(at: reader.now).day
        for count in stride(from: min(Self.dateWordsMax, title.count - 1), through: 1, by: -1) {
            let words = Array(title.suffix(count))
            // Part of an invalid day could be another valid day.
            guard !DateReader.isImpossibleDay(words) else { return }
            guard Self.mayBeDate(words, reader), let due = try? reader.due(words.joined(separator: " ")), due.day >= today,
                due.minute == nil || minute == nil
            else { continue }
            var before = Array(title.dropLast(count))
            Self.takeLeading(&before)
            guard !Self.isBound(words, behind: before), Self.impossibleDay(endingIn: before) == nil else { return }
            var dueMinute = due.minute ?? minute
            if dueMinute == nil, let time = Self.time(before: words, in: before, reader) {
                dueMinute = time
                before.removeLast()
                Self.takeLeading(&before)
            }
            (title, self.due) = (before, Due(day: due.day, minute: dueMinute))
            return
        }
    }

    static func takeLeading(_ title: inout [String]) {
        if title.count > 1, let word = title.last?.lowercased(), leading.contains(word) { title.removeLast() }
    }

    /// The time before a date, without the `on` between them: `9am on friday`.
    private static func time(before date: [String], in title: [String], _ reader: DateReader) -> Int? {
        guard title.count > 1, let word = title.last, let due = try? reader.due("\(word) \(date.joined(separator: " "))") else {
            return nil
        }
        return due.minute
    }

    /// Whether a date belongs to the words before it: a binding word, a rule, or a numbered thing.
    private static func isBound(_ date: [String], behind title: [String]) -> Bool {
        guard let word = title.last?.lowercased() else { return false }
        let isNumber = date.count == 1 && date[0].contains(".") && numbered.contains(word)
        return isNumber || binding.contains(word) || rule(endingIn: title) != nil
    }

    /// Excludes durations and ambiguous words, which are common at the end of titles: `rent it 2 weeks`.
    private static func mayBeDate(_ written: [String], _ reader: DateReader) -> Bool {
        let words = written.map { $0.lowercased() }
        guard let first = words.first, words.count > 1 || !ambiguous.contains(first),
            !words.contains(where: { $0.contains(where: \.isWhitespace) })
        else { return false }
        guard case .shift? = try? reader.reading(words.map { $0[...] }) else { return true }
        // `in 3D` is not a time.
        return first == "in" && !(written.count == 2 && written[1].contains(where: \.isUppercase))
    }
}
