import Dates

/// A condition of a filter: a word, `+tag`, `11-13`, `due<friday`, `priority>1`, `is:done`.
struct FilterTerm: Equatable {
    var clause: Clause
    var meaning = Meaning.other
    /// Whether it specifies if done todos match, or names ids.
    var isDefinite = false
    /// Whether it specifies if waiting todos match.
    var saysWaiting = false

    enum Meaning: Equatable {
        case word(String)
        /// The todo has all these tags, or tags below them.
        case tags([String])
        case ids([ClosedRange<Int64>])
        /// Only the daemon can evaluate it.
        case other
    }

    var ranges: [ClosedRange<Int64>] { if case .ids(let ranges) = meaning { ranges } else { [] } }

    private enum Field: String, CaseIterable {
        case due
        case wait
        case created
        case completed
        case priority
        case `is`
        case after
        case title
        case note
        case text

        var isOfDate: Bool { [.due, .wait, .created, .completed].contains(self) }
    }

    private enum Comparison: String, CaseIterable {
        // Longer operators first, because they begin with shorter ones.
        case atMost = "<="
        case atLeast = ">="
        case below = "<"
        case above = ">"
        case equal = ":"
        // Operators without special meaning in shells.
        case before = ".before:"
        case after = ".after:"
    }

    init(word: String) { self.init(Clause([Self.contains("title", word), Self.contains("note", word)], .or), .word(word)) }

    init(ids ranges: [ClosedRange<Int64>]) { self.init(Self.clause(ranges), .ids(ranges), isDefinite: true) }

    /// - Throws: for an unknown field or an invalid value.
    static func reading(_ text: Substring, _ reader: FilterReader) throws(Failure) -> FilterTerm {
        if let tags = Tags.named(by: text).map(Tags.listed) { return FilterTerm(Clause(tags.map(tagged), .and), .tags(tags)) }
        if let ranges = try ranges(text) { return FilterTerm(ids: ranges) }
        guard let (name, comparison, value) = parts(text) else {
            if let meant = meant(by: text) { throw failure(text, "say \(meant). To look for the word: text:\(text)") }
            return FilterTerm(word: String(text))
        }
        guard let field = Field(rawValue: name.lowercased()) else {
            let fields = Field.allCases.map(\.rawValue).joined(separator: ", ")
            throw failure(
                text, "there is no field \(name). The fields are \(fields), and +TAG for a tag",
                advice: "\nTo look for the word say text:\(Visible.text(String(text))).")
        }
        return try term(text, field, comparison, value, reader)
    }

    static func isOfDate(_ text: Substring) -> Bool {
        parts(text).flatMap { Field(rawValue: $0.name.lowercased()) }?.isOfDate ?? false
    }

    /// Quotes a date of several words, so that the argument can be part of a text.
    static func spelled(_ text: String, _ reader: FilterReader) -> String {
        guard text.contains(where: \.isWhitespace), !text.contains("\""), isOfDate(text[...]), let parts = parts(text[...]),
            (try? reading(text[...], reader)) != nil
        else { return text }
        return "\(parts.name)\(parts.comparison.rawValue)\"\(parts.value)\""
    }

    /// Todos with the tag or a tag below it, ignoring case.
    static func tagged(_ tag: String) -> Clause {
        let tag = tag.lowercased()
        return Clause("any(tag in tags: lower(tag) == \(Quoted.text(tag)) or startsWith(tag, \(Quoted.text(tag + "."))))")
    }

    static func taggedLike(_ text: String) -> Clause { Clause("any(tag in tags: contains(tag, \(Quoted.text(text))))") }

    static func clause(_ ranges: [ClosedRange<Int64>], of name: String = "id") -> Clause {
        let clauses = ranges.map { range in
            range.lowerBound == range.upperBound
                ? Clause("\(name) == \(range.lowerBound)")
                : Clause([Clause("\(name) >= \(range.lowerBound)"), Clause("\(name) <= \(range.upperBound)")], .and)
        }
        return Clause(clauses, .or)
    }

    /// Open todos whose due date has passed: a day at its end, a minute at its start.
    static func overdue(at now: Moment) -> Clause {
        let over = past(Due(minuteOf: now), "<=")
        return Clause([Clause("not completed"), over], .and)
    }

    /// Todos with a wait date in the future, open or done.
    static func ahead(of now: Moment) -> Clause { Clause("wait > \(Quoted.text(Due(minuteOf: now).text))") }

    static func waiting(at now: Moment) -> Clause { Clause([Clause("not completed"), ahead(of: now)], .and) }

    /// Open todos that come after an open todo.
    static let blocked = Clause(
        [Clause("not completed"), Clause("any(before in after: list[before] and not list[before].completed)")], .and)

    /// Splits `due<friday` into three parts; `nil` without letters followed by an operator.
    private static func parts(_ text: Substring) -> (name: Substring, comparison: Comparison, value: Substring)? {
        let name = text.prefix { $0.isASCII && $0.isLetter }
        let rest = text[name.endIndex...]
        guard !name.isEmpty, let comparison = Comparison.allCases.first(where: { rest.hasPrefix($0.rawValue) }) else {
            return nil
        }
        return (name, comparison, rest.dropFirst(comparison.rawValue.count))
    }

    /// The suggestion for operators of other languages: `due:friday` for `due=friday`.
    private static func meant(by text: Substring) -> String? {
        let name = text.prefix { $0.isASCII && $0.isLetter }
        let rest = text[name.endIndex...]
        guard Field(rawValue: name.lowercased()) != nil, let sign = foreignSigns.first(where: { rest.hasPrefix($0.typed) }) else {
            return nil
        }
        let value = rest.dropFirst(sign.typed.count)
        return "\(sign.before)\(name.lowercased())\(sign.comparison.rawValue)\(value.isEmpty ? "VALUE" : value)"
    }

    // Longer operators first, because they begin with shorter ones.
    private static let foreignSigns: [(typed: String, before: String, comparison: Comparison)] = [
        ("!=", "not ", .equal), ("==", "", .equal), ("=<", "", .atMost), ("=>", "", .atLeast), ("=", "", .equal),
    ]

    private static func term(
        _ text: Substring, _ field: Field, _ comparison: Comparison, _ value: Substring, _ reader: FilterReader
    ) throws(Failure) -> FilterTerm {
        let word = value.lowercased()
        guard !value.isEmpty else { throw failure(text, "the value is missing") }
        switch field {
        case .title, .note, .text:
            guard comparison == .equal else { throw failure(text, "texts are searched with a colon, such as title:milk") }
            return field == .text ? FilterTerm(word: String(value)) : FilterTerm(contains(field.rawValue, String(value)))
        case .is:
            guard comparison == .equal, let clause = state(word, reader) else {
                throw failure(text, "say is:open, is:done, is:overdue, is:waiting, is:blocked or is:recurring")
            }
            return FilterTerm(clause, isDefinite: true, saysWaiting: word == "waiting")
        case .after: return FilterTerm(try after(text, comparison, value))
        case .priority: return FilterTerm(try priority(text, comparison, word))
        case .due, .wait, .created, .completed:
            if comparison == .equal, ["none", "any"].contains(word), field != .created {
                let isThere = Clause(field.rawValue)
                return FilterTerm(
                    word == "none" ? .not(isThere) : isThere, isDefinite: field == .completed, saysWaiting: field == .wait)
            }
            if field == .due { return FilterTerm(due(comparison, try date(text, value, reader))) }
            if field == .wait { return FilterTerm(wait(comparison, try date(text, value, reader)), saysWaiting: true) }
            return FilterTerm(
                instant(field.rawValue, comparison, try span(text, value, reader)), isDefinite: field == .completed)
        }
    }

    private init(_ clause: Clause, _ meaning: Meaning = .other, isDefinite: Bool = false, saysWaiting: Bool = false) {
        (self.clause, self.meaning, self.isDefinite, self.saysWaiting) = (clause, meaning, isDefinite, saysWaiting)
    }

    private static func state(_ word: String, _ reader: FilterReader) -> Clause? {
        switch word {
        case "open": .not(Clause("completed"))
        case "done": Clause("completed")
        case "overdue": overdue(at: reader.moment)
        case "waiting": waiting(at: reader.moment)
        case "blocked": blocked
        // Done todos have no rule.
        case "recurring": Clause("every")
        default: nil
        }
    }

    /// Todos that come after one of these todos, whether those are open, done or removed.
    private static func after(_ text: Substring, _ comparison: Comparison, _ value: Substring) throws(Failure) -> Clause {
        if comparison == .equal {
            switch value.lowercased() {
            case "any": return Clause("count(after) > 0")
            case "none": return .not(Clause("count(after) > 0"))
            default:
                if let ranges = try ranges(value) { return Clause("any(before in after: \(clause(ranges, of: "before").text))") }
            }
        }
        throw failure(text, "say after:12, after:12,13, after:any or after:none")
    }

    /// A missing priority means 0.
    private static func priority(_ text: Substring, _ comparison: Comparison, _ word: String) throws(Failure) -> Clause {
        guard let level = Priority(argument: word)?.level else {
            throw failure(text, "say priority:high, priority>1 or priority:none")
        }
        let (least, more) = (Clause("priority >= \(level)"), Clause("priority >= \(level + 1)"))
        switch comparison {
        case .below: return level == 0 ? Clause("priority < 0") : .not(least)
        case .atMost: return .not(more)
        case .above: return more
        case .atLeast: return level == 0 ? .not(Clause("priority < 0")) : least
        case .equal: return level == 0 ? .not(more) : Clause("priority == \(level)")
        case .before, .after: throw failure(text, "say priority:high, priority>1 or priority:none")
        }
    }

    private static func due(_ comparison: Comparison, _ due: Due) -> Clause {
        let text = Quoted.text(due.text)
        let isEqual =
            due.minute == nil
            ? Clause([Clause("due >= \(text)"), Clause("due < \(end(of: due.day))")], .and) : Clause("due == \(text)")
        switch comparison {
        case .below, .before: return past(due)
        case .atLeast: return Clause([Clause("due"), .not(past(due))], .and)
        case .equal: return isEqual
        case .atMost: return Clause([past(due), isEqual], .or)
        case .above, .after: return Clause([Clause("due"), .not(Clause([past(due), isEqual], .or))], .and)
        }
    }

    /// A wait for a day ends at its start; as a text it sorts before all minutes of the day.
    private static func wait(_ comparison: Comparison, _ wait: Due) -> Clause {
        let first = Quoted.text(wait.text)
        let isUpTo = wait.minute == nil ? "wait < \(end(of: wait.day))" : "wait <= \(first)"
        switch comparison {
        case .below, .before: return Clause("wait < \(first)")
        case .atMost: return Clause(isUpTo)
        case .atLeast: return Clause("wait >= \(first)")
        case .above, .after: return Clause([Clause("wait"), .not(Clause(isUpTo))], .and)
        case .equal: return Clause([Clause("wait >= \(first)"), Clause(isUpTo)], .and)
        }
    }

    /// Todos that are due before a day or minute; a due day ends at midnight.
    ///
    /// - Parameter sign: how the minutes of the day are compared.
    private static func past(_ due: Due, _ sign: String = "<") -> Clause {
        let day = Quoted.text(due.day.text)
        guard due.minute != nil else { return Clause("due < \(day)") }
        let isEarlier = Clause([Clause("due > \(day)"), Clause("due \(sign) \(Quoted.text(due.text))")], .and)
        return Clause([Clause("due < \(day)"), isEarlier], .or)
    }

    // Sorts after the day and its minutes, which continue with a T.
    private static func end(of day: Day) -> String { Quoted.text(day.text + "U") }

    private static func instant(_ field: String, _ comparison: Comparison, _ span: Range<Int64>) -> Clause {
        let (begun, over) = (Clause("\(field) >= \(span.lowerBound)"), Clause("\(field) >= \(span.upperBound)"))
        switch comparison {
        case .below, .before: return Clause("\(field) < \(span.lowerBound)")
        case .atMost: return Clause("\(field) < \(span.upperBound)")
        case .atLeast: return begun
        case .above, .after: return over
        case .equal: return Clause([begun, Clause("\(field) < \(span.upperBound)")], .and)
        }
    }

    private static func date(_ text: Substring, _ value: Substring, _ reader: FilterReader) throws(Failure) -> Due {
        do throws(DateMistake) {
            return try DateReader(now: reader.now, zone: reader.zone, direction: .future, weekBegin: reader.weekBegin)
                .due(String(value))
        } catch {
            throw Failure(error)
        }
    }

    private static func span(_ text: Substring, _ value: Substring, _ reader: FilterReader) throws(Failure) -> Range<Int64> {
        do throws(DateMistake) {
            let parser = PointParser(now: reader.now, zone: reader.zone, weekBegin: reader.weekBegin)
            if let span = try parser.span(DateWords.words(of: String(value))) { return span }
        } catch {
            throw Failure(error)
        }
        throw failure(
            text, "this is no time; say \(text.prefix { $0.isLetter })>yesterday, created:today or \"created<3 days ago\"")
    }

    private static func ranges(_ text: Substring) throws(Failure) -> [ClosedRange<Int64>]? {
        guard text.utf8.allSatisfy({ DateWords.isDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ",") }) else {
            return nil
        }
        var ranges: [ClosedRange<Int64>] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let ends = part.split(separator: "-", omittingEmptySubsequences: false)
            guard (1...2).contains(ends.count), ends.allSatisfy({ !$0.isEmpty }) else { return nil }
            guard let first = Int64(ends[0]), let last = Int64(ends[ends.count - 1]), first <= last else {
                throw failure(text, "ids are numbers, and a range goes up: 11, 11-13 or 11,14-16")
            }
            ranges.append(first...last)
        }
        return ranges
    }

    private static func contains(_ field: String, _ text: String) -> Clause { Clause("contains(\(field), \(Quoted.text(text)))") }

    private static func failure(_ text: Substring, _ why: String, advice: String = "") -> Failure {
        Failure(.usage, Visible.text("The filter “\(text)”: \(why).") + advice)
    }
}

/// String literals of the expression language.
enum Quoted {
    static func text(_ text: String) -> String {
        let escaped = text.unicodeScalars.map { scalar in
            switch scalar {
            case "\"", "\\": "\\\(scalar)"
            case _ where scalar.value < 0x20: "\\u{\(String(scalar.value, radix: 16))}"
            default: String(scalar)
            }
        }
        return "\"" + escaped.joined() + "\""
    }
}
