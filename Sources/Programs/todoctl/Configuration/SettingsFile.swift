import ChronicleValues
import Glibc

struct SettingsFile: Equatable {
    enum Table: String, CaseIterable {
        case aliases
        case colors
        case urgency
    }

    static let bytesMax = 64 << 10
    static let warningsMax = 10
    /// Maximum absolute weight of a part of the urgency, in points.
    static let weightMax = 1_000.0

    /// Empty if there is no path.
    var path = ""
    var isThere = false
    /// The settings with one word.
    var words: [Settings.Key: String] = [:]
    var aliases: [String: [String]] = [:]
    var colours: [Paint.Role: Paint.Colour] = [:]
    /// The full weight of each part of the urgency, in hundredths.
    var weights: [Urgency.Part: Int] = [:]
    /// Ignored entries and the reasons, as sentences; the last one counts the rest.
    var warnings: [String] = []
    /// Number of problems without a sentence of their own.
    private(set) var unnamed = 0
    /// The syntax error of the file.
    var failure: Failure?

    init() {}

    /// The path: TODOCTL_CONFIG, or `todod/todoctl.toml` in XDG_CONFIG_HOME or in `~/.config`; `nil` without a home directory.
    static func path(_ variable: (String) -> String?) -> String? {
        if let path = variable("TODOCTL_CONFIG"), !path.isEmpty { return path }
        // The specification requires that relative paths are ignored (https://specifications.freedesktop.org/basedir).
        if let place = variable("XDG_CONFIG_HOME"), place.hasPrefix("/") { return place + "/todod/todoctl.toml" }
        guard let home = variable("HOME"), !home.isEmpty else { return nil }
        return home + "/.config/todod/todoctl.toml"
    }

    /// Reads a file, if it exists.
    init(path: String) {
        self.path = path
        load()
    }

    private mutating func load() {
        let bytes: [UInt8]
        do throws(SmallFile.Unreadable) { bytes = try SmallFile.bytes(of: path, about: Self.bytesMax) } catch {
            // A missing file is not an error.
            if ![ENOENT, ENOTDIR].contains(error.number) { warn("it can't be read: \(String(cString: strerror(error.number)))") }
            return
        }
        isThere = true
        guard bytes.count <= Self.bytesMax else { return fail("it is larger than \(Self.bytesMax >> 10) KiB") }
        guard let text = String(validating: bytes, as: UTF8.self) else { return fail("it is not UTF-8") }
        take(text)
    }

    init(path: String, text: String) {
        self.path = path
        isThere = true
        take(text)
    }

    private mutating func take(_ text: String) {
        let entries: [SettingsText.Entry]
        do throws(SettingsText.Mistake) { entries = try SettingsText(text).entries } catch {
            return fail(error.sentence, line: error.line)
        }
        for entry in entries {
            guard let mistake = take(entry) else { continue }
            if warnings.count < Self.warningsMax { warn(mistake, line: entry.line) } else { unnamed += 1 }
        }
        if unnamed > 0 { warn("it has \(Digits.counted(unnamed, "more mistake"))") }
    }

    /// Applies an entry; returns the problem, if there is one.
    private mutating func take(_ entry: SettingsText.Entry) -> String? {
        let name = entry.path[0]
        guard let table = Table(rawValue: name) else {
            return take(entry.path.count == 1 ? entry.value : .flag, name)
        }
        guard entry.path.count > 1 else {
            return "\(name) is a table: write [\(name)] on a line of its own, and what is in it below"
        }
        return take(entry.path.count == 2 ? entry.value : .flag, entry.path[1], of: table)
    }

    /// Applies an entry at the top level; returns the problem, if there is one.
    private mutating func take(_ value: SettingsText.Value, _ name: String) -> String? {
        guard let key = Settings.Key(rawValue: name) else {
            let names = Settings.Key.allCases.map(\.rawValue) + Table.allCases.map { "[\($0.rawValue)]" }
            return "there is no setting \(name); " + Spelling.proposal(for: name, among: names)
        }
        guard case .text(let word) = value, !word.isEmpty else {
            return "\(name) is a text: write \(name) = \"\(key.words?.first ?? "work")\""
        }
        if let mistake = key.mistake(word) { return mistake }
        words[key] = word
        return nil
    }

    /// Applies an entry of a table; returns the problem, if there is one.
    private mutating func take(_ value: SettingsText.Value, _ key: String, of table: Table) -> String? {
        switch table {
        case .aliases:
            guard case .text(let line) = value else { return "an alias is a text: write \(key) = \"list due:today\"" }
            return takeAlias(key, line)
        case .colors:
            let roles = Paint.Role.allCases.map(\.rawValue)
            guard let role = Paint.Role(rawValue: key) else {
                return "nothing called \(key) has a colour; " + Spelling.proposal(for: key, among: roles)
            }
            guard case .text(let name) = value, let colour = Paint.Colour(name: name) else {
                return "the colour of \(key) is \(Settings.alternatives(Paint.Colour.allCases.map(\.name)))"
            }
            colours[role] = colour
        case .urgency:
            let keys = Urgency.Part.allCases.map(\.key)
            guard let part = Urgency.Part.allCases.first(where: { $0.key == key }) else {
                return "the urgency has no part \(key); " + Spelling.proposal(for: key, among: keys)
            }
            guard case .number(let points) = value, abs(points) <= Self.weightMax else {
                return "the weight \(key) is a number of points, from -1000 to 1000"
            }
            weights[part] = Int((points * 100).rounded())
        }
        return nil
    }

    private mutating func takeAlias(_ name: String, _ line: String) -> String? {
        guard !name.isEmpty, !name.hasPrefix("-"), !name.contains(where: \.isWhitespace) else {
            return "an alias is one word that begins with no dash"
        }
        let verbs = Todoctl.verbNames
        guard !verbs.contains(name) else { return "\(name) is a verb and can't be an alias: choose another name" }
        guard let words = ShellWords.words(of: line) else { return "in the alias \(name) a quotation mark is not closed" }
        guard let verb = words.first, verbs.contains(verb) else {
            return "the alias \(name) does not begin with a verb: write \(name) = \"list due:today\""
        }
        aliases[name] = words
        return nil
    }

    private mutating func warn(_ mistake: String, line: Int? = nil) {
        warnings.append(sentence(mistake, line))
    }

    private mutating func fail(_ mistake: String, line: Int? = nil) {
        failure = Failure(.configuration, sentence(mistake, line) + "\nTo fix it: todoctl config edit")
    }

    private func sentence(_ mistake: String, _ line: Int?) -> String {
        let end = mistake.last.map { ".?!".contains($0) } == true ? "" : "."
        return Visible.text(path + (line.map { ", line \($0)" } ?? "") + ": " + mistake) + end
    }
}
