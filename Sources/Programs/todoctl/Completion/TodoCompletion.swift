import ArgumentParser
import Chronicle
import TodoAPI

extension CompletionKind {
    static let todos = custom { words, index, _ in TodoCompletion.candidates(words, index) { .ids(digits: $0) } }

    static let todoLists = custom { words, index, _ in
        TodoCompletion.candidates(words, index) { .ids(digits: TodoCompletion.lastID(of: $0)) }
    }

    static let dates = list(TodoCompletion.dates)

    static let rules = list(TodoCompletion.rules)

    static let tags = custom { words, index, _ in TodoCompletion.candidates(words, index) { .tags(mark: "", typed: $0) } }

    static let filter = custom { words, index, _ in TodoCompletion.candidates(words, index, TodoCompletion.wanted) }
}

enum TodoCompletion {
    enum Wanted: Equatable {
        case ids(digits: String)
        case tags(mark: String, typed: String)
        case views
        case words([String])
        case anything
    }

    struct Candidate: Equatable {
        var word: String
        var meaning = ""

        /// A word of the program, or an id.
        init(word: String, meaning: String = "") {
            self.word = word
            self.meaning = meaning
        }

        /// A user's name after a prefix; `nil` if it is not plain.
        init?(named name: String, after prefix: String, meaning: String = "") {
            guard NameCompletion.isPlain(name) else { return nil }
            self.init(word: prefix + name, meaning: meaning)
        }
    }

    // Limits the reply, because the shell waits.
    private static let todosMax: UInt64 = 100
    private static let taggedMax: UInt64 = 500

    private static let weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
    private static let days = ["today", "tomorrow"] + weekdays
    /// Values of `--due` and similar options; none contains white space.
    static let dates = days + ["tonight", "eod", "eow", "eom", "none"]
    static let rules = ["daily", "weekday", "weekly", "monthly", "quarterly", "yearly"] + weekdays + ["none"]
    private static let values: [(field: String, values: [String])] = [
        ("is", ["open", "done", "overdue", "waiting", "blocked", "recurring"]), ("due", days + ["eow", "eom", "none", "any"]),
        ("wait", days + ["none", "any"]), ("created", ["today", "yesterday"]),
        ("completed", ["today", "yesterday", "none", "any"]),
        ("priority", Priority.names), ("after", ["any", "none"]), ("title", []), ("note", []), ("text", []),
    ]
    static let beginnings =
        values.map { $0.field + ":" } + ["due<", "due>", "priority>", "created>", "or", "not"]

    static func wanted(_ word: String) -> Wanted {
        if word.isEmpty { return .anything }
        if word.first == "@" { return .views }
        if let mark = word.first, "+-#".contains(mark) { return .tags(mark: String(mark), typed: String(word.dropFirst())) }
        if isListOfIDs(word[...]) { return .ids(digits: lastID(of: word)) }
        let field = word.prefix { $0.isASCII && $0.isLetter }
        let signs = word[field.endIndex...].prefix { "<>=:".contains($0) }
        guard !signs.isEmpty, let known = values.first(where: { $0.field == field.lowercased() }) else {
            return .words(beginnings)
        }
        let ids = word[signs.endIndex...]
        if known.field == "after", signs == ":", isListOfIDs(ids) { return .ids(digits: lastID(of: word)) }
        return .words(known.values.map { "\(field)\(signs)\($0)" })
    }

    /// Whether it is a list of ids: `3`, `3,`, `11-13,1`.
    private static func isListOfIDs(_ text: Substring) -> Bool {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        return text.utf8.first.map { digits.contains($0) } == true
            && text.utf8.allSatisfy { digits.contains($0) || $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "-") }
    }

    /// The digits of the last id in a list: `1` of `3,1`, empty for `3,`.
    static func lastID(of text: String) -> String {
        text.lastIndex { ",-:".contains($0) }.map { String(text[text.index(after: $0)...]) } ?? text
    }

    static func candidates(_ words: [String], _ index: Int, _ wanted: (String) -> Wanted) -> [String] {
        let (word, split) = typed(words, index)
        return NameCompletion.candidates(words, index) { client throws(Failure) in
            var offered: [Candidate] = []
            switch wanted(word) {
            case .words(let words): offered = words.map { Candidate(word: $0) }
            case .ids(let digits):
                offered = named(try todos(where: condition(digits), client), after: String(word.dropLast(digits.count)))
            case .tags(let mark, let typed):
                offered = tagged(try todos(where: "count(tags) > 0", limit: taggedMax, client), mark, typed)
            case .views: offered = try views(client)
            case .anything:
                // Takes the tags from the same reply, because a second query would double the time.
                let open = try todos(where: condition(""), client)
                offered = named(open, after: "") + tagged(open, "+", "")
                offered += try views(client)
                offered += beginnings.map { Candidate(word: $0) }
            }
            let fitting = offered.filter { $0.word.hasPrefix(word) }
            return spelled(fitting, after: split, for: CompletionShell.requesting)
        }
    }

    /// The typed word, and the part that bash splits off: `due:` of `due:to`.
    static func typed(_ words: [String], _ index: Int) -> (word: String, split: String) {
        guard words.indices.contains(index) else { return ("", "") }
        // The fish script sends two quotes for an empty word.
        let last = words[index] == "''" ? "" : words[index]
        let before = { (back: Int) in index >= back ? words[index - back] : "" }
        if last == ":", index > 0 { return (before(1) + ":", before(1) + ":") }
        if before(1) == ":", index > 1 { return (before(2) + ":" + last, before(2) + ":") }
        return (last, "")
    }

    /// The candidates with descriptions: after a colon in zsh, after a tab in fish, and in bash as part of the word if there
    /// are several.
    static func spelled(_ offered: [Candidate], after split: String, for shell: CompletionShell?) -> [String] {
        offered.map { candidate in
            let word = String(candidate.word.dropFirst(split.count))
            let meaning = Visible.text(candidate.meaning)
            switch shell {
            case .zsh?: return NameCompletion.word(word, for: shell) + (meaning.isEmpty ? "" : ":" + meaning)
            case .fish?: return word + (meaning.isEmpty ? "" : "\t" + meaning)
            default:
                let shown = meaning.isEmpty || offered.count == 1 ? word : word + ": " + inert(meaning)
                return NameCompletion.word(shown, for: shell)
            }
        }
    }

    /// Replaces shell metacharacters by their wide forms, because `menu-complete` inserts the description unquoted.
    private static func inert(_ meaning: String) -> String {
        String(
            String.UnicodeScalarView(
                meaning.unicodeScalars.map { scalar in
                    switch scalar {
                    case "/": "∕"
                    case "`", "$", ";", "&", "|", "<", ">", "(", ")", "!": Unicode.Scalar(scalar.value + 0xFEE0) ?? "?"
                    default: scalar
                    }
                }))
    }

    private static func views(_ client: Client) throws(Failure) -> [Candidate] {
        try client.savedViews().compactMap { Candidate(named: $0.name, after: "@", meaning: $0.filter) }
    }

    private static func todos(
        where condition: String?, limit: UInt64 = todosMax, _ client: Client
    ) throws(Failure) -> [Todo] {
        guard let condition else { return [] }
        var found: [Todo] = []
        let input = GetStateMethod.Input(scope: "todos.items", where: condition, limit: limit)
        try client.stream(GetStateMethod.self, input) { answer throws(Failure) in
            found += try answer.output().todos.compactMap(Todo.init)
            return .more
        }
        return found
    }

    /// Todos with titles, open ones first, without those already in the list.
    static func named(_ todos: [Todo], after prefix: String) -> [Candidate] {
        let listed = prefix.split { !$0.isASCII || !$0.isNumber }.compactMap { Int64($0) }
        return (todos.filter { !$0.isDone } + todos.filter(\.isDone)).filter { !listed.contains($0.id) }.map {
            Candidate(word: prefix + String($0.id), meaning: $0.title)
        }
    }

    /// The condition for ids with a prefix; open todos without one.
    ///
    /// - Returns: `nil` if no id can match.
    static func condition(_ digits: String) -> String? {
        guard !digits.isEmpty else { return "not completed" }
        guard let number = Int64(digits), number > 0, digits.first != "0", digits.count <= 12 else { return nil }
        var ranges: [ClosedRange<Int64>] = []
        var ten: Int64 = 1
        for _ in 0..<4 {
            ranges.append(number * ten...(number + 1) * ten - 1)
            ten *= 10
        }
        return FilterTerm.clause(ranges).text
    }

    static func tagged(_ todos: [Todo], _ mark: String, _ typed: String) -> [Candidate] {
        let before = typed.lastIndex(of: ",").map { String(typed[...$0]) } ?? ""
        return Set(todos.flatMap(\.tags)).sorted().compactMap { Candidate(named: $0, after: mark + before) }
    }
}
