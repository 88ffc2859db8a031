/// A line of iCalendar: `DUE;TZID=Europe/Berlin:20261201T143000`.
struct CalendarLine: Equatable {
    var number = 0
    /// In upper case.
    var name: String
    /// As written, including the semicolons.
    var parameters = ""
    var value: String

    var key: String { name + parameters }

    func parameter(_ name: String) -> String? {
        for part in CalendarLine.split(parameters, at: ";") {
            let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard halves.count == 2, halves[0].uppercased() == name else { continue }
            return String(halves[1].filter { $0 != "\"" })
        }
        return nil
    }

    private static func split(_ text: String, at separator: Character) -> [Substring] {
        var isQuoted = false
        return text.split { character in
            if character == "\"" { isQuoted.toggle() }
            return character == separator && !isQuoted
        }
    }
}

/// The content lines of RFC 5545, unfolded or folded.
enum CalendarLines {
    private static let foldBytes = 75

    static func read(_ bytes: [UInt8]) throws(FormatError) -> [CalendarLine] {
        var found: [CalendarLine] = []
        var whole: [UInt8] = []
        var start = 0
        func end() throws(FormatError) {
            if !whole.isEmpty { found.append(try line(String(decoding: whole, as: UTF8.self), start)) }
            whole.removeAll(keepingCapacity: true)
        }
        for (number, text) in try SourceText.lines(bytes) {
            if let first = text.utf8.first, first == UInt8(ascii: " ") || first == UInt8(ascii: "\t"), start > 0 {
                guard whole.count + text.utf8.count <= FormatLimits.lineBytesMax else {
                    throw FormatError(line: start, "it is longer than \(FormatLimits.lineBytesMax >> 20) MiB")
                }
                whole.append(contentsOf: text.utf8.dropFirst())
                continue
            }
            try end()
            start = number
            whole.append(contentsOf: text.utf8)
        }
        try end()
        return found
    }

    // By scalars: a combining mark would merge with the colon.
    private static func line(_ text: String, _ number: Int) throws(FormatError) -> CalendarLine {
        let scalars = text.unicodeScalars
        var isQuoted = false
        let found = scalars.firstIndex { scalar in
            if scalar == "\"" { isQuoted.toggle() }
            return scalar == ":" && !isQuoted
        }
        guard let colon = found else { throw FormatError(line: number, "expected a name and a colon") }
        let head = scalars[..<colon]
        let end = head.firstIndex(of: ";") ?? colon
        let name = String(head[..<end])
        guard !name.isEmpty, name.utf8.allSatisfy(isOfName) else {
            throw FormatError(line: number, "expected a name before the colon")
        }
        return CalendarLine(
            number: number, name: name.uppercased(), parameters: String(head[end...]),
            value: String(scalars[scalars.index(after: colon)...]))
    }

    /// Parses a text that is exactly one line, without control characters that a reader could take for a line end.
    static func line(_ text: String) -> CalendarLine? {
        guard !text.unicodeScalars.contains(where: { $0 != "\t" && Words.isControl($0) }) else { return nil }
        do throws(FormatError) { return try line(text, 0) } catch { return nil }
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"):
            true
        default: false
        }
    }

    /// A line with its end, folded at 75 bytes between characters.
    static func folded(_ key: String, _ value: String) -> String {
        var text = ""
        var count = 0
        for scalar in "\(key):\(value)".unicodeScalars {
            let width = UTF8.width(scalar)
            if count + width > foldBytes {
                text += "\r\n "
                count = 1
            }
            text.unicodeScalars.append(scalar)
            count += width
        }
        return text + "\r\n"
    }
}

enum CalendarText {
    /// With escapes; control characters that a value must not contain are removed.
    static func escaped(_ text: String) -> String {
        var escaped = String.UnicodeScalarView()
        var before: Unicode.Scalar?
        for scalar in text.unicodeScalars {
            defer { before = scalar }
            switch scalar {
            case "\\", ";", ",":
                escaped.append("\\")
                escaped.append(scalar)
            case "\n" where before == "\r": break
            case "\n", "\r":
                escaped.append("\\")
                escaped.append("n")
            case "\t": escaped.append(scalar)
            case _ where scalar.value < 0x20 || scalar.value == 0x7F: break
            default: escaped.append(scalar)
            }
        }
        return String(escaped)
    }

    static func plain(_ value: String) -> String { parts(value, at: nil).first ?? "" }

    static func list(_ value: String) -> [String] { parts(value, at: ",") }

    private static func parts(_ value: String, at separator: Unicode.Scalar?) -> [String] {
        var parts: [String] = []
        var part = String.UnicodeScalarView()
        var isEscaped = false
        for scalar in value.unicodeScalars {
            if isEscaped {
                part.append(scalar == "n" || scalar == "N" ? "\n" : scalar)
                isEscaped = false
            } else if scalar == "\\" {
                isEscaped = true
            } else if scalar == separator {
                parts.append(String(part))
                part = String.UnicodeScalarView()
            } else {
                part.append(scalar)
            }
        }
        return parts + [String(part)]
    }
}
