import ArgumentParser
import Chronicle
import TodoAPI

extension CompletionKind {
    /// Ids of todos, each with its title.
    static let todos = custom { words, index, _ in TodoCompletion.candidates(words, index) { .ids(digits: $0) } }

    /// Ids of todos, also behind those that stand there already, if those are several with commas.
    static let todoLists = custom { words, index, _ in
        TodoCompletion.candidates(words, index) { .ids(digits: TodoCompletion.lastID(of: $0)) }
    }

    /// Days that a date may be, as one word each.
    static let dates = list(TodoCompletion.dates)

    /// Rules by which a todo may recur, as one word each.
    static let rules = list(TodoCompletion.rules)

    /// Tags that todos have, and that stand behind a tag already if those are several with commas.
    static let tags = custom { words, index, _ in TodoCompletion.candidates(words, index) { .tags(mark: "", typed: $0) } }

    /// What a filter may go on with: ids of todos, tags, views, and words such as `due:today`.
    static let filter = custom { words, index, _ in TodoCompletion.candidates(words, index, TodoCompletion.wanted) }
}

/// What a shell offers where todos are named.
enum TodoCompletion {
    /// What is wanted, by what was typed.
    enum Wanted: Equatable {
        /// Todos whose ids begin with these digits.
        case ids(digits: String)
        /// Tags behind a sign such as `+`.
        case tags(mark: String, typed: String)
        /// Views, behind their sign.
        case views
        /// These words, which the person knows already.
        case words([String])
        /// Todos, tags, views and the beginnings of conditions.
        case anything
    }

    /// A word, and what it means where a shell can show that.
    struct Candidate: Equatable {
        var word: String
        var meaning = ""

        /// A word of the program's own, or made of an id and what is typed.
        init(word: String, meaning: String = "") {
            self.word = word
            self.meaning = meaning
        }

        /// A name that somebody chose, behind what is typed; `nil` if a shell could take it for more than a word.
        init?(named name: String, behind prefix: String, meaning: String = "") {
            guard NameCompletion.isPlain(name) else { return nil }
            self.init(word: prefix + name, meaning: meaning)
        }
    }

    // So many todos are offered, and so many looked at for their tags: a shell waits, and nobody reads more.
    private static let todosMax: UInt64 = 100
    private static let taggedMax: UInt64 = 500

    private static let weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
    private static let days = ["today", "tomorrow"] + weekdays
    /// Behind `--due` and its like; what has white space would need quotes in a shell.
    static let dates = days + ["tonight", "eod", "eow", "eom", "none"]
    /// Behind `--every`.
    static let rules = ["daily", "weekday", "weekly", "monthly", "quarterly", "yearly"] + weekdays + ["none"]
    // What may stand behind the sign of each field; nothing, where that is any text.
    private static let values: [(field: String, values: [String])] = [
        ("is", ["open", "done", "overdue", "waiting", "blocked", "recurring"]), ("due", days + ["eow", "eom", "none", "any"]),
        ("wait", days + ["none", "any"]), ("created", ["today", "yesterday"]),
        ("completed", ["today", "yesterday", "none", "any"]),
        ("priority", Priority.names), ("after", ["any", "none"]), ("title", []), ("note", []), ("text", []),
    ]
    /// The beginnings of conditions, and what goes on with others.
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

    /// Whether it begins with an id, and has nothing but ids and what parts them: `3`, `3,`, `11-13,1`.
    private static func isListOfIDs(_ text: Substring) -> Bool {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        return text.utf8.first.map { digits.contains($0) } == true
            && text.utf8.allSatisfy { digits.contains($0) || $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "-") }
    }

    /// What is typed of the last id of a list: `1` of `3,1`, and nothing of `3,`.
    static func lastID(of text: String) -> String {
        text.lastIndex { ",-:".contains($0) }.map { String(text[text.index(after: $0)...]) } ?? text
    }

    /// The words that a shell offers, as its script takes them.
    static func candidates(_ words: [String], _ index: Int, _ wanted: (String) -> Wanted) -> [String] {
        let (word, split) = typed(words, index)
        return NameCompletion.candidates(words, index) { client throws(Failure) in
            var offered: [Candidate] = []
            switch wanted(word) {
            case .words(let words): offered = words.map { Candidate(word: $0) }
            case .ids(let digits):
                offered = named(try todos(where: condition(digits), client), behind: String(word.dropLast(digits.count)))
            case .tags(let mark, let typed):
                offered = tagged(try todos(where: "count(tags) > 0", limit: taggedMax, client), mark, typed)
            case .views: offered = try views(client)
            case .anything:
                // Their tags come with the todos: what is asked for once more takes as long again.
                let open = try todos(where: condition(""), client)
                offered = named(open, behind: "") + tagged(open, "+", "")
                offered += try views(client)
                offered += beginnings.map { Candidate(word: $0) }
            }
            let fitting = offered.filter { $0.word.hasPrefix(word) }
            return spelled(fitting, behind: split, for: CompletionShell.requesting)
        }
    }

    /// The word that is typed, and how much of it the shell takes for words of their own: bash takes `due:to` apart.
    static func typed(_ words: [String], _ index: Int) -> (word: String, split: String) {
        guard words.indices.contains(index) else { return ("", "") }
        // For a word that is not begun the script for fish puts two quotes.
        let last = words[index] == "''" ? "" : words[index]
        let before = { (back: Int) in index >= back ? words[index - back] : "" }
        if last == ":", index > 0 { return (before(1) + ":", before(1) + ":") }
        if before(1) == ":", index > 1 { return (before(2) + ":" + last, before(2) + ":") }
        return (last, "")
    }

    /// As each shell shows what a word means: behind a colon, behind a tab, or, where bash has several to choose from, as a part of it.
    static func spelled(_ offered: [Candidate], behind split: String, for shell: CompletionShell?) -> [String] {
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

    /// A meaning that stands in a word, which `menu-complete` puts in as it is: what a shell acts on has its wide form.
    private static func inert(_ meaning: String) -> String {
        String(
            String.UnicodeScalarView(
                meaning.unicodeScalars.map { scalar in
                    switch scalar {
                    // A slash would be taken for the end of a directory.
                    case "/": "∕"
                    case "`", "$", ";", "&", "|", "<", ">", "(", ")", "!": Unicode.Scalar(scalar.value + 0xFEE0) ?? "?"
                    default: scalar
                    }
                }))
    }

    /// Views with what they stand for.
    private static func views(_ client: Client) throws(Failure) -> [Candidate] {
        try client.savedViews().compactMap { Candidate(named: $0.name, behind: "@", meaning: $0.filter) }
    }

    /// Todos for which a condition holds; the first of them, none where there is no condition.
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

    /// Todos with their titles, the open ones first; not those that the words before name already.
    static func named(_ todos: [Todo], behind prefix: String) -> [Candidate] {
        let listed = prefix.split { !$0.isASCII || !$0.isNumber }.compactMap { Int64($0) }
        return (todos.filter { !$0.isDone } + todos.filter(\.isDone)).filter { !listed.contains($0.id) }.map {
            Candidate(word: prefix + String($0.id), meaning: $0.title)
        }
    }

    /// The condition of ids that begin with some digits; of what is open where none is typed.
    ///
    /// - Returns: `nil` where there are no such ids.
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

    /// Tags that todos have and that may be put in, each once.
    static func tagged(_ todos: [Todo], _ mark: String, _ typed: String) -> [Candidate] {
        let before = typed.lastIndex(of: ",").map { String(typed[...$0]) } ?? ""
        return Set(todos.flatMap(\.tags)).sorted().compactMap { Candidate(named: $0, behind: mark + before) }
    }
}
