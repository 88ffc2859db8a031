import ArgumentParser
import Dates

/// How a person wants todoctl to be.
///
/// What a verb's option says counts most, then the environment, then the file, then what is usual; `value` is the one place that knows.
struct Settings: Equatable {
    /// What is set by one word.
    enum Key: String, CaseIterable {
        /// How dates are written.
        case date
        /// With which day weeks begin.
        case week
        /// How `list` sorts.
        case sort
        /// The saved view that `list` shows where nothing else is asked for.
        case view

        /// The variable of the environment that says it, too.
        var variable: String { "TODOCTL_" + rawValue.uppercased() }

        /// The words that it can have; `nil`: any.
        var words: [String]? {
            switch self {
            case .date: DateStyle.allCases.map(\.rawValue)
            case .week: ["monday", "sunday"]
            case .sort: TodoOrder.allCases.map(\.rawValue)
            case .view: nil
            }
        }

        /// What holds where nobody says anything.
        var usual: String? {
            switch self {
            case .date: DateStyle.day.rawValue
            case .week: "monday"
            case .sort: TodoOrder.list.rawValue
            case .view: nil
            }
        }

        /// What is wrong with a word, and what it could be; `nil` if it is one of them.
        func mistake(_ word: String) -> String? {
            guard let words, !words.contains(word) else { return nil }
            return "\(rawValue) is \(Settings.alternatives(words)), and not “\(word)”"
        }
    }

    /// Who says something.
    enum Origin: Equatable {
        case option
        case environment
        case file
        case usual
    }

    /// What the file says.
    var file = SettingsFile()
    /// What variables of the environment say.
    var environment: [Key: String] = [:]
    /// What can't be taken from the environment or the file, in sentences.
    var warnings: [String] = []

    /// Those of this process; the file is read when they are first asked for.
    static let user = Settings(variable: Environment.variable)

    init() {}

    /// Reads the environment and, if it is there, the file.
    init(variable: (String) -> String?) {
        if let path = SettingsFile.path(variable) { file = SettingsFile(path: path) }
        warnings = file.warnings
        for key in Key.allCases {
            // Empty, a variable says nothing.
            guard let word = variable(key.variable), !word.isEmpty else { continue }
            if let mistake = key.mistake(word) {
                warnings.append(Visible.text("\(key.variable) is left out: \(mistake)."))
            } else {
                environment[key] = word
            }
        }
    }

    /// What holds, and who says so.
    ///
    /// - Parameter option: what the verb was told.
    func value(_ key: Key, option: String? = nil) -> (word: String?, origin: Origin) {
        if let option { return (option, .option) }
        if let word = environment[key] { return (word, .environment) }
        if let word = file.words[key] { return (word, .file) }
        return (key.usual, .usual)
    }

    /// How dates are written.
    var dateStyle: DateStyle { value(.date).word.flatMap(DateStyle.init(rawValue:)) ?? .day }

    /// The day of the week with which weeks begin, 0 is Sunday.
    var weekBegin: Int { value(.week).word == "sunday" ? 0 : 1 }

    /// How a list is sorted.
    ///
    /// - Parameter view: what the view says that is shown, which knows more than the file.
    func order(option: TodoOrder?, view: TodoOrder? = nil) -> TodoOrder {
        value(.sort, option: (option ?? view)?.rawValue).word.flatMap(TodoOrder.init(rawValue:)) ?? .list
    }

    /// The view that is shown where nothing else is asked for; `nil`: what is open.
    var view: String? { value(.view).word }

    /// A command line with the words that an alias of the person's stands for, and behind `help` with its verb; what is a verb already is none.
    func unaliased(_ arguments: [String]) -> [String] {
        if arguments.first == "help", arguments.count > 1, let verb = file.aliases[arguments[1]]?.first {
            return ["help", verb] + arguments.dropFirst(2)
        }
        guard let name = arguments.first, let words = file.aliases[name] else { return arguments }
        return words + arguments.dropFirst()
    }

    /// What can't be taken, in one line: the first, and how many they are.
    var warning: String? {
        guard let first = warnings.first, warnings.count > 1 else { return warnings.first }
        // One sentence stands for all that have none of their own.
        let count = warnings.count + max(file.unnamed - 1, 0)
        return "\(first) It is one of \(Digits.counted(count, "mistake")) in your settings; to see all: todoctl config"
    }

    /// Complains about what can't be taken; of `config`, which says so itself, and of help nothing is wrong.
    ///
    /// - Throws: where the file can't be understood at all.
    func check(before verb: String?) throws(Failure) {
        guard let verb, verb != ConfigVerb._commandName, verb != "help", !verb.hasPrefix("-") else { return }
        if let failure = file.failure { throw failure }
        if let warning { Output.complain("todoctl: " + warning) }
    }

    /// `one, two or three`.
    static func alternatives(_ words: [String]) -> String {
        guard let last = words.last, words.count > 1 else { return words.first ?? "" }
        return words.dropLast().joined(separator: ", ") + " or " + last
    }
}
