/// The text of a settings file: the subset of TOML (https://toml.io) that settings need.
///
/// It consists of tables, bare, quoted and dotted keys, single-line strings, numbers and booleans. Multi-line strings, arrays,
/// dates and inline tables are refused.
struct SettingsText {
    enum Value: Equatable {
        case text(String)
        case number(Double)
        /// A boolean, which no setting accepts.
        case flag
    }

    struct Entry {
        /// The names of its table, then its own.
        var path: [String]
        var value: Value
        var line: Int
    }

    struct Mistake: Error {
        var sentence: String
        var line: Int
    }

    private(set) var entries: [Entry] = []
    private var rest: Substring = ""
    private var line = 0

    init(_ text: String) throws(Mistake) {
        var (table, tables, keys) = ([String](), Set<[String]>(), Set<[String]>())
        for content in text.split(omittingEmptySubsequences: false, whereSeparator: { $0 == "\n" || $0 == "\r\n" }) {
            (rest, line) = (content, line + 1)
            skipBlanks()
            if take("[") {
                guard rest.first != "[" else { throw mistake("lists of tables are not settings") }
                table = try path()
                guard take("]") else { throw mistake("a ] is missing") }
                guard tables.insert(table).inserted else { throw mistake("[\(table.joined(separator: "."))] is repeated") }
            } else if !isAtEnd {
                let path = table + (try path())
                guard take("=") else { throw mistake("a = is missing") }
                skipBlanks()
                entries.append(Entry(path: path, value: try value(), line: line))
                guard keys.insert(path).inserted else { throw mistake("\(path.joined(separator: ".")) is set twice") }
            }
            skipBlanks()
            guard isAtEnd else { throw mistake("unexpected “\(rest)”") }
        }
    }

    private var isAtEnd: Bool { rest.isEmpty || rest.first == "#" }

    private func mistake(_ sentence: String) -> Mistake { Mistake(sentence: sentence, line: line) }

    private mutating func skipBlanks() { rest = rest.drop { $0 == " " || $0 == "\t" } }

    private mutating func take(_ character: Character) -> Bool {
        guard rest.first == character else { return false }
        rest.removeFirst()
        return true
    }

    private mutating func path() throws(Mistake) -> [String] {
        var names: [String] = []
        repeat {
            skipBlanks()
            if rest.first == "\"" || rest.first == "'" {
                names.append(try quoted())
            } else {
                let name = rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber) || $0 == "_" || $0 == "-" }
                guard !name.isEmpty else {
                    throw mistake("a name is missing; a name with other characters than letters and digits needs quotes")
                }
                rest = rest[name.endIndex...]
                names.append(String(name))
            }
            skipBlanks()
        } while take(".")
        return names
    }

    private mutating func value() throws(Mistake) -> Value {
        if rest.first == "\"" || rest.first == "'" { return .text(try quoted()) }
        let word = rest.prefix { !$0.isWhitespace && $0 != "#" }
        rest = rest[word.endIndex...]
        if word == "true" || word == "false" { return .flag }
        let digits = word.replacing("_", with: "")
        guard digits.allSatisfy({ $0.isASCII && $0.isNumber || "+-.eE".contains($0) }), let number = Double(digits) else {
            throw mistake("a value is a text in quotes, as in sort = \"due\", a number, or true or false")
        }
        return .number(number)
    }

    private mutating func quoted() throws(Mistake) -> String {
        let quote = rest.removeFirst()
        guard !rest.hasPrefix(String([quote, quote])) else { throw mistake("a text must be on one line, in one pair of quotes") }
        var text = ""
        while let character = rest.popFirst() {
            if character == quote { return text }
            text.append(quote == "\"" && character == "\\" ? try escaped() : character)
        }
        throw mistake("a quotation mark is not closed")
    }

    /// The character of an escape sequence.
    private mutating func escaped() throws(Mistake) -> Character {
        let sign = rest.popFirst()
        let plain: [Character: Character] = [
            "b": "\u{8}", "t": "\t", "n": "\n", "f": "\u{C}", "r": "\r", "\"": "\"", "\\": "\\",
        ]
        if let sign, let character = plain[sign] { return character }
        let count = sign == "u" ? 4 : sign == "U" ? 8 : 0
        let digits = rest.prefix(count)
        guard count > 0, digits.count == count, let number = UInt32(digits, radix: 16), let scalar = Unicode.Scalar(number) else {
            throw mistake(
                "\\\(sign.map(String.init) ?? "") means nothing in a text: write \\\\ for a backslash, or use single quotes")
        }
        rest = rest.dropFirst(count)
        return Character(scalar)
    }
}
