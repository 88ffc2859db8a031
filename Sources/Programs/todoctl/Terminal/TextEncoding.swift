import Terminal

/// The encoding of text output: UTF-8, or ASCII.
///
/// Terminals with another encoding take some bytes of UTF-8 for control characters.
enum TextEncoding: Equatable {
    case utf8
    case ascii

    static let user = TextEncoding(environment: Environment.variable)

    /// UTF-8 if the locale says so: LC_ALL, else LC_CTYPE, else LANG.
    init(environment: (String) -> String?) {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(environment).first { !$0.isEmpty } ?? "C"
        let name = locale.lowercased()
        self = name.hasSuffix("utf8") || name.contains("utf-8") || name.contains("utf8@") ? .utf8 : .ascii
    }

    /// The bytes of a text; ASCII replaces the program's own symbols with others of the same width, and escapes the rest.
    func bytes(_ text: String) -> [UInt8] {
        guard self == .ascii else { return Array(text.utf8) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            if scalar.isASCII {
                bytes.append(UInt8(scalar.value))
            } else {
                bytes.append(contentsOf: (Self.signs[scalar].map(String.init) ?? Visible.escape(scalar)).utf8)
            }
        }
        return bytes
    }

    /// The bytes of a character, exactly as many as its columns in ASCII.
    func bytes(cell character: String) -> [UInt8] {
        let bytes = bytes(character)
        return self == .utf8 || bytes.count == 1 ? bytes : Array(repeating: UInt8(ascii: "?"), count: Width.columns(character))
    }

    func bytes(json: [UInt8]) -> [UInt8] {
        guard self == .ascii, json.contains(where: { $0 >= 0x80 }) else { return json }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(json.count + 16)
        for scalar in String(decoding: json, as: UTF8.self).unicodeScalars {
            if scalar.isASCII {
                bytes.append(UInt8(scalar.value))
            } else {
                Visible.append(jsonEscape: scalar, to: &bytes)
            }
        }
        return bytes
    }

    // ASCII replacements for the program's own symbols.
    private static let signs: [Unicode.Scalar: Character] = [
        "→": ">", "←": "<", "–": "-", "…": "~", "★": "*", "☆": ".", "├": "|", "│": "|", "└": "`", "─": "-", "━": "=", "▶": ">",
        "┌": "+", "┐": "+", "┘": "+", "┬": "+", "┴": "+", "┤": "+", "●": "*", "○": "o", "•": "*", "✓": "x", "↵": "|", "↑": "^",
        "↓": "v",
        "‖": "|", "⟨": "<", "⟩": ">", "“": "\"", "”": "\"",
        "▁": "_", "▂": "_", "▃": "-", "▄": "-", "▅": "=", "▆": "=", "▇": "#", "█": "#",
    ]
}
