import Glibc
import TOMLKit
import Values

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
    /// Dots between names on a line: the parser goes one deeper with each, on a stack that has an end.
    static let dotsMax = 32
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
        if let line = Self.deepLine(in: text) {
            return fail("there are more than \(Self.dotsMax) dots between names", line: line)
        }
        let table: TOMLTable
        do { table = try TOMLTable(string: text) } catch {
            guard let error = error as? TOMLParseError else { return fail("it is no TOML") }
            return fail("this is no TOML: \(error.description)", line: error.source.begin.line)
        }
        for name in table.keys {
            guard let value = table[name] else { continue }
            if let known = Table(rawValue: name) {
                guard let entries = value.table else {
                    let mistake = "\(name) is a table: write [\(name)] on a line of its own, and what is in it below"
                    warn(mistake, at: [name], in: text)
                    continue
                }
                for key in entries.keys {
                    guard let value = entries[key] else { continue }
                    if let mistake = take(value, key, of: known) { warn(mistake, at: [name, key], in: text) }
                }
            } else if let mistake = take(value, name) {
                warn(mistake, at: [name], in: text)
            }
        }
        if unnamed > 0 { warn("it has \(Digits.counted(unnamed, "more mistake"))") }
    }

    /// The first line with too many dots, wherever they stand on it; dots that follow each other are no names.
    private static func deepLine(in text: String) -> Int? {
        var (line, dots, before) = (1, 0, UInt8(ascii: "\n"))
        for byte in text.utf8 where byte != UInt8(ascii: " ") && byte != UInt8(ascii: "\t") {
            if byte == UInt8(ascii: "\n") { (line, dots) = (line + 1, 0) }
            if byte == UInt8(ascii: "."), before != byte { dots += 1 }
            guard dots <= dotsMax else { return line }
            before = byte
        }
        return nil
    }

    /// Takes what stands at the top; gives what is wrong with it.
    private mutating func take(_ value: any TOMLValueConvertible, _ name: String) -> String? {
        guard let key = Settings.Key(rawValue: name) else {
            let names = Settings.Key.allCases.map(\.rawValue) + Table.allCases.map { "[\($0.rawValue)]" }
            return "there is no setting \(name); " + Self.proposal(name, names)
        }
        guard let word = value.string, !word.isEmpty else {
            return "\(name) is a text: write \(name) = \"\(key.words?.first ?? "work")\""
        }
        if let mistake = key.mistake(word) { return mistake }
        words[key] = word
        return nil
    }

    /// Takes what stands in a table; gives what is wrong with it.
    private mutating func take(_ value: any TOMLValueConvertible, _ key: String, of table: Table) -> String? {
        switch table {
        case .aliases:
            guard let line = value.string else { return "an alias is a text: write \(key) = \"list due:today\"" }
            return takeAlias(key, line)
        case .colors:
            let roles = Paint.Role.allCases.map(\.rawValue)
            guard let role = Paint.Role(rawValue: key) else {
                return "nothing called \(key) has a colour; " + Self.proposal(key, roles)
            }
            guard let name = value.string, let colour = Paint.Colour(name: name) else {
                return "the colour of \(key) is \(Settings.alternatives(Paint.Colour.allCases.map(\.name)))"
            }
            colours[role] = colour
        case .urgency:
            let keys = Urgency.Part.allCases.map(\.key)
            guard let part = Urgency.Part.allCases.first(where: { $0.key == key }) else {
                return "the urgency has no part \(key); " + Self.proposal(key, keys)
            }
            guard let points = value.double ?? value.int.map({ Double($0) }), abs(points) <= Self.weightMax else {
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

    private static func proposal(_ word: String, _ names: [String]) -> String {
        let proposal = Spelling.proposal(for: word, among: names)
        // The sentence ends where it is told.
        return proposal.last == "." ? String(proposal.dropLast()) : proposal
    }

    private mutating func warn(_ mistake: String, line: Int? = nil) {
        warnings.append(sentence(mistake, line))
    }

    // Where it stands is looked for in the whole text, so that is done for a few only.
    private mutating func warn(_ mistake: String, at path: [String], in text: String) {
        if warnings.count < Self.warningsMax { warn(mistake, line: Self.line(of: path, in: text)) } else { unnamed += 1 }
    }

    private mutating func fail(_ mistake: String, line: Int? = nil) {
        failure = Failure(.configuration, sentence(mistake, line) + "\nTo mend it: todoctl config edit")
    }

    private func sentence(_ mistake: String, _ line: Int?) -> String {
        let end = mistake.last.map { ".?!".contains($0) } == true ? "" : "."
        return Visible.text(path + (line.map { ", line \($0)" } ?? "") + ": " + mistake) + end
    }

    /// The line on which a key of a table stands, by the text alone, as the parser does not tell; `nil` if it is not found.
    static func line(of path: [String], in text: String) -> Int? {
        let wanted = path.joined(separator: ".")
        var table = ""
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let content = line.filter { !$0.isWhitespace && $0 != "\"" && $0 != "'" }
            var name = content.prefix { $0 != "=" && $0 != "#" }
            if content.hasPrefix("[") {
                name = name.drop { $0 == "[" }.prefix { $0 != "]" }
                table = name + "."
            } else if name.isEmpty || name.endIndex == content.endIndex {
                continue
            } else {
                name = Substring(table + name)
            }
            if name == wanted || name.hasPrefix(wanted + ".") { return index + 1 }
        }
        return nil
    }
}
