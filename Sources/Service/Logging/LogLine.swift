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
        let words = [shown(message)] + fields.map { "\($0.name)=\(quoted(shown($0.value)))" }
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
        value.isEmpty || value.utf8.contains(0x20) ? "\"\(value)\"" : value
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        // The format characters include those that turn the direction of writing.
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
