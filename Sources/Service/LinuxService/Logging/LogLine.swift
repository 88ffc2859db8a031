/// The text of a log line.
enum LogLine {
    /// The message, followed by its metadata.
    static func text(_ message: String, _ fields: [(name: String, value: String)]) -> String {
        ([message] + fields.map { "\($0.name)=\(quoted($0.value))" }).joined(separator: " ")
    }

    /// The text with control characters written as `\u{1b}` and the like: it stays one line and does nothing to a terminal.
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
        // Without quotes, a value could look like further fields.
        guard value.isEmpty || value.utf8.contains(where: { " =\"\\".utf8.contains($0) }) else { return value }
        let escaped = value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return "\"\(escaped)\""
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        // The format characters include those that change the direction of writing.
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
