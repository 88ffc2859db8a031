import ArgumentParser
import Dates

/// The user's settings.
///
/// Precedence: the option of a verb, the environment, the settings file, the default. Only `value` implements it.
struct Settings: Equatable {
    enum Key: String, CaseIterable {
        case date
        case week
        case sort
        case view

        var variable: String { "TODOCTL_" + rawValue.uppercased() }

        /// The possible values; `nil` allows any.
        var words: [String]? {
            switch self {
            case .date: DateStyle.allCases.map(\.rawValue)
            case .week: ["monday", "sunday"]
            case .sort: TodoOrder.allCases.map(\.rawValue)
            case .view: nil
            }
        }

        var usual: String? {
            switch self {
            case .date: DateStyle.day.rawValue
            case .week: "monday"
            case .sort: TodoOrder.list.rawValue
            case .view: nil
            }
        }

        /// The error for an invalid word, with the possible ones.
        func mistake(_ word: String) -> String? {
            guard let words, !words.contains(word) else { return nil }
            return "\(rawValue) is \(Settings.alternatives(words)), and not “\(word)”"
        }
    }

    enum Origin: Equatable {
        case option
        case environment
        case file
        case usual
    }

    var file = SettingsFile()
    var environment: [Key: String] = [:]
    /// Problems in the environment and the file, as sentences.
    var warnings: [String] = []

    /// The settings of this process; the file is read at the first access.
    static let user = Settings(variable: Environment.variable)

    init() {}

    init(variable: (String) -> String?) {
        if let path = SettingsFile.path(variable) { file = SettingsFile(path: path) }
        warnings = file.warnings
        for key in Key.allCases {
            // Empty variables are ignored.
            guard let word = variable(key.variable), !word.isEmpty else { continue }
            if let mistake = key.mistake(word) {
                warnings.append(Visible.text("\(key.variable) is ignored: \(mistake)."))
            } else {
                environment[key] = word
            }
        }
    }

    func value(_ key: Key, option: String? = nil) -> (word: String?, origin: Origin) {
        if let option { return (option, .option) }
        if let word = environment[key] { return (word, .environment) }
        if let word = file.words[key] { return (word, .file) }
        return (key.usual, .usual)
    }

    var dateStyle: DateStyle { value(.date).word.flatMap(DateStyle.init(rawValue:)) ?? .day }

    /// The first day of the week: 0 is Sunday.
    var weekBegin: Int { value(.week).word == "sunday" ? 0 : 1 }

    /// The sort order of a list.
    ///
    /// - Parameter view: the order of the shown view, which overrides the file.
    func order(option: TodoOrder?, view: TodoOrder? = nil) -> TodoOrder {
        value(.sort, option: (option ?? view)?.rawValue).word.flatMap(TodoOrder.init(rawValue:)) ?? .list
    }

    var view: String? { value(.view).word }

    /// Expands an alias of the user at the place of the verb, also after `help`; verbs can't be redefined.
    func unaliased(_ arguments: [String]) -> [String] {
        if arguments.first == "help", arguments.count > 1, let verb = file.aliases[arguments[1]]?.first {
            return ["help", verb] + arguments.dropFirst(2)
        }
        guard let name = arguments.first, let words = file.aliases[name] else { return arguments }
        return words + arguments.dropFirst()
    }

    /// The first problem and the number of problems, in one line.
    var warning: String? {
        guard let first = warnings.first, warnings.count > 1 else { return warnings.first }
        // The last sentence counts the problems without a sentence of their own.
        let count = warnings.count + max(file.unnamed - 1, 0)
        return "\(first) It is one of \(Digits.counted(count, "mistake")) in your settings; to see all: todoctl config"
    }

    /// Prints problems of the settings; not for `config`, which prints them itself, and not for help.
    ///
    /// - Throws: if the file can't be parsed.
    func check(before verb: String?) throws(Failure) {
        guard let verb, verb != ConfigVerb._commandName, verb != "help", !verb.hasPrefix("-") else { return }
        if let failure = file.failure { throw failure }
        if let warning { Output.complain("todoctl: " + warning) }
    }

    static func alternatives(_ words: [String]) -> String {
        guard let last = words.last, words.count > 1 else { return words.first ?? "" }
        return words.dropLast().joined(separator: ", ") + " or " + last
    }
}
