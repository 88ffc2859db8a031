import ChronicleValues
import Glibc

/// The file in which a person says how todoctl is to be, in TOML (https://toml.io).
struct SettingsFile: Equatable {
    /// The tables of the file.
    enum Table: String, CaseIterable {
        /// What stands for a verb and words behind it.
        case aliases
        /// What is shown in which colour.
        case colors
        /// What presses how much.
        case urgency
    }

    /// Bytes of a file that is read.
    static let bytesMax = 64 << 10
    /// Mistakes that get a sentence each.
    static let warningsMax = 10
    /// How much a part of the urgency may be worth at most, in points, and at least with a minus.
    static let weightMax = 1_000.0

    /// Where it is; empty where nothing says where.
    var path = ""
    var isThere = false
    /// What it says in one word each.
    var words: [Settings.Key: String] = [:]
    /// What a word at the place of a verb stands for.
    var aliases: [String: [String]] = [:]
    /// What it wants in which colour.
    var colours: [Paint.Role: Paint.Colour] = [:]
    /// What a part of the urgency is worth where it counts in full, in hundredths.
    var weights: [Urgency.Part: Int] = [:]
    /// What is left out of what it says, and why, in sentences; the last one says how many more there are.
    var warnings: [String] = []
    /// How many mistakes have no sentence of their own.
    private(set) var unnamed = 0
    /// Why it can't be understood at all.
    var failure: Failure?

    init() {}

    /// Where the file is: at TODOCTL_CONFIG, else `todod/todoctl.toml` in XDG_CONFIG_HOME, else in `~/.config`; `nil` where there is no home.
    static func path(_ variable: (String) -> String?) -> String? {
        if let path = variable("TODOCTL_CONFIG"), !path.isEmpty { return path }
        // The specification wants relative ones to be left out (https://specifications.freedesktop.org/basedir).
        if let place = variable("XDG_CONFIG_HOME"), place.hasPrefix("/") { return place + "/todod/todoctl.toml" }
        guard let home = variable("HOME"), !home.isEmpty else { return nil }
        return home + "/.config/todod/todoctl.toml"
    }

    /// Reads a file, if it is there.
    init(path: String) {
        self.path = path
        load()
    }

    private mutating func load() {
        let bytes: [UInt8]
        do throws(SmallFile.Unreadable) { bytes = try SmallFile.bytes(of: path, about: Self.bytesMax) } catch {
            // One that is not there says nothing.
            if ![ENOENT, ENOTDIR].contains(error.number) { warn("it can't be read: \(String(cString: strerror(error.number)))") }
            return
        }
        isThere = true
        guard bytes.count <= Self.bytesMax else { return fail("it is larger than \(Self.bytesMax >> 10) KiB") }
        guard let text = String(validating: bytes, as: UTF8.self) else { return fail("it is not UTF-8") }
        take(text)
    }

    /// Reads the text of a file.
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

    /// Takes an entry; gives what is wrong with it.
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

    /// Takes what stands at the top; gives what is wrong with it.
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

    /// Takes what stands in a table; gives what is wrong with it.
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
                return "what \(key) is worth is a number of points, from -1000 to 1000"
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
        guard !verbs.contains(name) else { return "\(name) is a verb, which no alias hides: choose another name" }
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
        failure = Failure(.configuration, sentence(mistake, line) + "\nTo mend it: todoctl config edit")
    }

    private func sentence(_ mistake: String, _ line: Int?) -> String {
        let end = mistake.last.map { ".?!".contains($0) } == true ? "" : "."
        return Visible.text(path + (line.map { ", line \($0)" } ?? "") + ": " + mistake) + end
    }
}
