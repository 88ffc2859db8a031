import Terminal

/// The encoding of text output: UTF-8, or ASCII.
///
/// Terminals with another encoding take some bytes of UTF-8 for control characters.
enum TextEncoding: Equatable {
    case utf8, ascii

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

    private static let signs: [Unicode.Scalar: Character] = [
        "→": ">", "←": "<", "–": "-", "…": "~", "★": "*", "☆": ".", "├": "|", "│": "|", "└": "`", "─": "-", "━": "=", "▶": ">",
        "┌": "+", "┐": "+", "┘": "+", "┬": "+", "┴": "+", "┤": "+", "●": "*", "○": "o", "•": "*", "✓": "x", "↵": "|", "↑": "^",
        "↓": "v",
        "‖": "|", "⟨": "<", "⟩": ">", "“": "\"", "”": "\"",
        "▁": "_", "▂": "_", "▃": "-", "▄": "-", "▅": "=", "▆": "=", "▇": "#", "█": "#",
    ]
}

/// Escapes characters that control a terminal or deceive a reader.
enum Visible {
    /// The text with invisible characters as escapes: `\n`, `\u{1b}`, `\u{200b}`.
    static func text(_ text: String) -> String { HiddenScalars.shown(in: text) }

    /// Escapes each line, keeping the line feeds.
    static func lines(_ text: String) -> String {
        // By scalars, because a carriage return and a line feed are one character.
        let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.map { self.text(String($0)) }.joined(separator: "\n")
    }

    /// Equivalent JSON with those characters as JSON escapes.
    static func json(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.contains(where: leadsToHidden) else { return bytes }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count + 16)
        HiddenScalars.classify(String(decoding: bytes, as: UTF8.self)) { scalar, isShown in
            if isShown, let encoded = UTF8.encode(scalar) {
                result.append(contentsOf: encoded)
            } else {
                append(jsonEscape: scalar, to: &result)
            }
        }
        return result
    }

    /// Appends `\u200b`; outside the first plane, a surrogate pair.
    static func append(jsonEscape scalar: Unicode.Scalar, to bytes: inout [UInt8]) {
        for unit in String(scalar).utf16 {
            let digits = String(unit, radix: 16)
            bytes.append(contentsOf: "\\u\(String(repeating: "0", count: 4 - digits.utf8.count))\(digits)".utf8)
        }
    }

    static func escape(_ scalar: Unicode.Scalar) -> String { HiddenScalars.escape(scalar) }

    // The first UTF-8 bytes of all hidden characters; a fast path for most texts.
    private static func leadsToHidden(_ byte: UInt8) -> Bool {
        switch byte {
        case 0..<0x20, 0x7F, 0xC2, 0xCD, 0xD8, 0xE1, 0xE2, 0xE3, 0xEF, 0xF0, 0xF3: true
        default: false
        }
    }
}
