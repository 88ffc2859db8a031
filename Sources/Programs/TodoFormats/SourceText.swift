import TodoRules

enum SourceText {
    static let lineFeed = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")

    static func withoutMark(_ bytes: [UInt8]) -> [UInt8] {
        bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
    }

    /// The lines with their numbers, from 1, without line ends.
    ///
    /// - Throws: the first line that is not UTF-8 or too long.
    static func lines(_ bytes: [UInt8]) throws(FormatError) -> [(number: Int, text: String)] {
        var lines: [(number: Int, text: String)] = []
        var start = 0
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: lineFeed) ?? bytes.count
            var line = bytes[start..<end]
            if line.last == carriageReturn { line = line.dropLast() }
            let number = lines.count + 1
            guard line.count <= FormatLimits.lineBytesMax else {
                throw FormatError(line: number, "it is longer than \(FormatLimits.lineBytesMax >> 20) MiB")
            }
            guard let text = String(validating: line, as: UTF8.self) else { throw FormatError(line: number, "this is not UTF-8") }
            lines.append((number, text))
            start = end + 1
        }
        return lines
    }

    /// The line, from 1, of a byte offset.
    static func line(at offset: Int, in bytes: [UInt8]) -> Int {
        bytes.prefix(offset).count { $0 == lineFeed } + 1
    }
}

enum Words {
    static func isBlank(_ text: some StringProtocol) -> Bool { text.allSatisfy(\.isWhitespace) }

    static func trimmed(_ text: some StringProtocol) -> String {
        guard let start = text.unicodeScalars.firstIndex(where: { !$0.properties.isWhitespace }) else { return "" }
        return String(text[start..<end(of: text)])
    }

    /// The index of the trailing white space.
    ///
    /// By scalars and in one pass: removing one Character after another takes quadratic time.
    static func end<Text: StringProtocol>(of text: Text) -> Text.Index {
        let scalars = text.unicodeScalars
        guard let last = scalars.lastIndex(where: { !$0.properties.isWhitespace }) else { return text.startIndex }
        return scalars.index(after: last)
    }

    static func onOneLine(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        var line = ""
        for scalar in text.unicodeScalars { line.unicodeScalars.append(isControl(scalar) ? " " : scalar) }
        return trimmed(line)
    }

    static func asOne(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.isWhitespace || isControl($0) ? "_" : $0 }))
    }

    /// Appends a trimmed tag if it is new and the limit is not exceeded by more than one.
    static func add(_ tag: String, to tags: inout [String]) {
        guard tags.count <= TodoLimits.tagsMax else { return }
        let tag = trimmed(tag)
        // A tag that is too long will be refused, so it is not compared.
        if !tag.isEmpty, tag.utf8.count > TodoLimits.tagBytesMax || !tags.contains(tag) { tags.append(tag) }
    }

    /// U+2028 and U+2029 count, because they end a line.
    static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || scalar.value == 0x2028 || scalar.value == 0x2029
    }
}

/// The project of a todo, stored as the tag `project:Home.Garden`.
enum Project {
    private static let prefix = "project:"

    static func tag(_ name: String) -> String { prefix + name }

    static func name(_ tag: String) -> String? {
        guard tag.hasPrefix(prefix), tag.utf8.count > prefix.utf8.count else { return nil }
        return String(tag.dropFirst(prefix.count))
    }
}
