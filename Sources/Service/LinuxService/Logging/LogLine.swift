import Logging

/// How a line of logging is worded, the same for a terminal and for the journal.
enum LogLine {
    /// The level as the journal numbers it, by syslog(3).
    static func priority(_ level: Logger.Level) -> Int {
        switch level {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }

    /// The message with its metadata behind it, all on one line: control characters are shown, never sent.
    static func text(_ message: String, _ fields: [(name: String, value: String)]) -> String {
        let words = [shown(message)] + fields.map { "\($0.name)=\(shown(quoted($0.value)))" }
        return words.joined(separator: " ")
    }

    /// The text with control characters written as `\u{1b}` and the like, so that they do nothing to a terminal.
    static func shown(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        var shown = ""
        for scalar in text.unicodeScalars {
            if isControl(scalar) {
                shown += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                shown.unicodeScalars.append(scalar)
            }
        }
        return shown
    }

    private static func quoted(_ value: String) -> String {
        // So that no value can look like further fields.
        guard value.isEmpty || value.utf8.contains(where: { " =\"\\".utf8.contains($0) }) else { return value }
        let escaped = value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return "\"\(escaped)\""
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        // The format characters include those that turn the direction of writing.
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}

/// One entry in the journal's own protocol: fields with names, one after the other.
struct JournalEntry {
    private(set) var bytes: [UInt8] = []

    /// Adds a field.
    ///
    /// A value with line breaks takes the form that says its length.
    mutating func add(_ name: String, _ value: String) {
        bytes.append(contentsOf: name.utf8)
        let value = Array(value.utf8)
        if value.contains(0x0A) {
            bytes.append(0x0A)
            let length = UInt64(value.count)
            for shift in stride(from: UInt64(0), to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: length >> shift)) }
        } else {
            bytes.append(UInt8(ascii: "="))
        }
        bytes.append(contentsOf: value)
        bytes.append(0x0A)
    }

    /// The name of metadata as the journal takes it: the program, `_` and capitals, digits and underscores, at most 64 in all.
    static func fieldName(_ name: String, of program: String) -> String {
        let characters = "\(program)_\(name)".utf8.map { byte -> Character in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"):
                Character(Unicode.Scalar(byte & 0xDF))
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                Character(Unicode.Scalar(byte))
            default:
                "_"
            }
        }
        return String(characters.prefix(64))
    }
}
