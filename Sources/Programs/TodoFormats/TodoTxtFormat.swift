import Dates

/// todo.txt: one todo per line, such as `x (A) 2026-12-01 2026-11-30 Call the bank +project @context due:2026-12-02`.
///
/// `+NAME` is the tag `project:NAME` and `@NAME` the tag `NAME`; after the title they are removed from it. `due:` and
/// `t:` hold a day or a minute (`2026-12-02T1430`, without a colon because some readers split there). `(A)` is high,
/// `(B)` medium, any other letter low, and the letter is kept. `rec:+1w` is `every week`, and `rec:1w` is `1 week after
/// done`. `id:` is the source id. Other `key:value` pairs are kept as attributes. Notes are not supported.
enum TodoTxtFormat {
    static func read(_ bytes: [UInt8], at place: FormatPlace) throws(FormatError) -> FormatReading {
        var reading = FormatReading()
        for (number, text) in try SourceText.lines(bytes) where !Words.isBlank(text) {
            try reading.add(todo(text, number, place))
        }
        return reading
    }

    private static func todo(_ text: String, _ line: Int, _ place: FormatPlace) -> ForeignTodo {
        var todo = ForeignTodo(title: "", line: line)
        todo.expressed = [.done]
        var rest = text.drop(while: \.isWhitespace)
        if rest.hasPrefix("x ") {
            todo.isDone = true
            rest = rest.dropFirst(2).drop(while: \.isWhitespace)
        }
        takePriority(&rest, &todo)
        if let day = takeDay(&rest) {
            let other = todo.isDone ? takeDay(&rest) : nil
            todo.created = (todo.isDone ? other : day).map { place.zone.instant($0, 0) * 1_000_000 }
            if todo.isDone { todo.completed = place.zone.instant(day, 0) * 1_000_000 }
        }
        let parts = takeParts(&rest)
        todo.title = Words.trimmed(rest)
        if Words.isBlank(todo.title) { todo.title = Words.trimmed(text) }
        for word in todo.title.split(separator: " ") { if let tag = tag(word) { Words.add(tag, to: &todo.tags) } }
        for part in parts { take(part, into: &todo) }
        return todo
    }

    private static func takePriority(_ rest: inout Substring, _ todo: inout ForeignTodo) {
        let bytes = Array(rest.utf8.prefix(4))
        guard bytes.count == 4, bytes[0] == UInt8(ascii: "("), (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(bytes[1]),
            bytes[2] == UInt8(ascii: ")"), bytes[3] == UInt8(ascii: " ")
        else { return }
        setPriority(String(rest.dropFirst().prefix(1)), &todo)
        rest = rest.dropFirst(4).drop(while: \.isWhitespace)
    }

    private static func setPriority(_ letter: String, _ todo: inout ForeignTodo) {
        todo.priority = ["A": 3, "B": 2][letter] ?? 1
        if todo.priority == 1, letter != "C" { todo.attributes.append(.init("pri", letter)) }
    }

    private static let letters = Set((UInt8(ascii: "A")...UInt8(ascii: "Z")).map { String(Character(Unicode.Scalar($0))) })

    private static func takeDay(_ rest: inout Substring) -> Day? {
        let word = rest.prefix { !$0.isWhitespace }
        guard word.endIndex < rest.endIndex, let day = Day(iso: word) else { return nil }
        rest = rest[word.endIndex...].drop(while: \.isWhitespace)
        return day
    }

    /// Removes projects, contexts and `key:value` from the end and leaves the title.
    private static func takeParts(_ rest: inout Substring) -> [Substring] {
        var found: [Substring] = []
        var title = rest
        while true {
            title = title[..<Words.end(of: title)]
            if !title.isEmpty { rest = title }
            guard let space = title.lastIndex(where: \.isWhitespace) else { break }
            let word = title[title.index(after: space)...]
            guard tag(word) != nil || pair(word) != nil else { break }
            found.append(word)
            title = title[..<space]
        }
        return found.reversed()
    }

    private static func tag(_ word: Substring) -> String? {
        guard word.utf8.count > 1 else { return nil }
        if word.hasPrefix("+") { return Project.tag(String(word.dropFirst())) }
        return word.hasPrefix("@") ? String(word.dropFirst()) : nil
    }

    /// Parses `key:value`; addresses and times of day are not pairs.
    private static func pair(_ word: Substring) -> (key: String, value: String)? {
        guard let colon = word.firstIndex(of: ":"), word.first?.isLetter == true else { return nil }
        let (key, value) = (word[..<colon], word[word.index(after: colon)...])
        guard !value.isEmpty, !value.hasPrefix("//"), key.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" })
        else { return nil }
        return (String(key), String(value))
    }

    private static func take(_ part: Substring, into todo: inout ForeignTodo) {
        if let tag = tag(part) { return Words.add(tag, to: &todo.tags) }
        guard let (key, value) = pair(part) else { return }
        switch key {
        case "due" where todo.due == nil && due(value) != nil: todo.due = due(value)
        case "t" where todo.wait == nil && due(value) != nil: todo.wait = due(value)
        // A done todo does not recur.
        case "rec" where !todo.isDone && todo.every == nil && rule(value) != nil: todo.every = rule(value)
        case "id" where todo.source == nil: todo.source = value
        case "pri" where todo.priority == 0 && letters.contains(value): setPriority(value, &todo)
        default: todo.attributes.append(.init(key, value))
        }
    }

    private static let units: [(letter: String, unit: TimeShift.Unit)] = [
        ("d", .day), ("w", .week), ("m", .month), ("y", .year),
    ]

    /// `+1w` counts from the due date, `1w` from the completion.
    private static func rule(_ text: String) -> Recurrence? {
        let isStrict = text.hasPrefix("+")
        let word = isStrict ? text.dropFirst() : text[...]
        guard word.utf8.dropLast().allSatisfy(DateWords.isDigit), let count = Int(word.dropLast()),
            let unit = units.first(where: { $0.letter == word.suffix(1) })?.unit
        else { return nil }
        let shift = TimeShift(count: count, unit: unit)
        return isStrict ? Recurrence(every: shift) : Recurrence(afterDone: shift)
    }

    static func rec(_ rule: Recurrence) -> String? {
        guard let shift = rule.interval ?? rule.intervalAfterDone else { return nil }
        guard let letter = units.first(where: { $0.unit == shift.unit })?.letter else { return nil }
        return "\(rule.interval == nil ? "" : "+")\(shift.count)\(letter)"
    }

    /// `2026-12-01`, `2026-12-01T1430`, `2026-12-01T14:30`.
    private static func due(_ text: String) -> Due? {
        if let due = Due(text: text) { return due }
        guard text.utf8.count == 15 else { return nil }
        return Due(text: "\(text.dropLast(2)):\(text.suffix(2))")
    }
}

extension TodoTxtFormat {
    static func write(_ todos: [ForeignTodo], at place: FormatPlace) -> String {
        todos.map { line($0, place) + "\n" }.joined()
    }

    private static func line(_ todo: ForeignTodo, _ place: FormatPlace) -> String {
        var words: [String] = []
        let letter = todo.priority > 0 ? self.letter(todo) : nil
        if todo.isDone {
            words.append("x")
            if let completed = todo.completed { words.append(place.day(of: completed).text) }
        } else if let letter {
            words.append("(\(letter))")
        }
        // On a done todo the first date is the completion date.
        if let created = todo.created, !todo.isDone || todo.completed != nil { words.append(place.day(of: created).text) }
        let title = Words.onOneLine(todo.title)
        words.append(title)
        let inside = Set(title.split(separator: " ").compactMap { tag($0) })
        for name in todo.tags where !inside.contains(name) {
            words.append(Project.name(name).map { "+" + Words.asOne($0) } ?? "@" + Words.asOne(name))
        }
        if let due = todo.due { words.append("due:" + text(due)) }
        if let wait = todo.wait { words.append("t:" + text(wait)) }
        if !todo.isDone, let rule = todo.every, let text = rec(rule) { words.append("rec:" + text) }
        if todo.isDone, let letter { words.append("pri:\(letter)") }
        if let source = todo.source { words.append("id:" + Words.asOne(source)) }
        for attribute in todo.attributes where attribute.name != "pri" || todo.priority == 0 {
            // An open todo without a rule had its rule removed after the import.
            if attribute.name == "rec", !todo.isDone, todo.every == nil, rule(attribute.value) != nil { continue }
            words.append("\(Words.asOne(attribute.name)):\(Words.asOne(attribute.value))")
        }
        return words.joined(separator: " ")
    }

    private static func letter(_ todo: ForeignTodo) -> String {
        switch todo.priority {
        case 3...: "A"
        case 2: "B"
        default: todo.attribute("pri") ?? "C"
        }
    }

    private static func text(_ due: Due) -> String { due.text.replacing(":", with: "") }
}
