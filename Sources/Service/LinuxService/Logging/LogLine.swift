/// The text of a log line.
enum LogLine {
    /// Two thirds of journald's `LineMax`.
    static let bytesMax = 32 << 10

    /// The text with control characters escaped as `\u{1b}`, so that it stays one line and can't control a terminal.
    ///
    /// The journal splits a longer line, and would parse a level at the beginning of each piece.
    static func shown(_ text: String) -> String {
        var shown = text
        if text.unicodeScalars.contains(where: isControl) {
            shown = text.unicodeScalars.map { isControl($0) ? "\\u{\(String($0.value, radix: 16))}" : String($0) }.joined()
        }
        guard shown.utf8.count > bytesMax else { return shown }
        return String(decoding: shown.utf8.prefix(bytesMax), as: UTF8.self) + "…"
    }

    static func quoted(_ value: String) -> String {
        // Without quotes, a value could look like further fields.
        guard value.isEmpty || value.utf8.contains(where: { " =\"\\".utf8.contains($0) }) else { return value }
        let escaped = value.unicodeScalars.map { $0 == "\\" || $0 == "\"" ? "\\\($0)" : String($0) }
        return "\"\(escaped.joined())\""
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        // The format characters include those that change the direction of writing.
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
