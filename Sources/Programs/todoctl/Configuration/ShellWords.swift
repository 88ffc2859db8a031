/// A line as a shell takes it apart, of which nothing is expanded.
enum ShellWords {
    /// The words of a line, which ends at white space that is neither in quotes nor behind a backslash; `nil` where a quotation mark is not
    /// closed, or nothing stands behind the last backslash.
    static func words(of line: String) -> [String]? {
        var words: [String] = []
        var word: String?
        var quote: Character?
        var isEscaped = false
        for character in line {
            if isEscaped {
                // In double quotes a backslash is one before anything but these.
                let isKept = quote != nil && !"\"\\$`".contains(character)
                word = (word ?? "") + (isKept ? "\\" : "") + String(character)
                isEscaped = false
            } else if character == "\\", quote != "'" {
                isEscaped = true
            } else if let open = quote {
                if character == open { quote = nil } else { word = (word ?? "") + String(character) }
            } else if character == "'" || character == "\"" {
                quote = character
                word = word ?? ""
            } else if character.isWhitespace {
                if let whole = word { words.append(whole) }
                word = nil
            } else {
                word = (word ?? "") + String(character)
            }
        }
        guard quote == nil, !isEscaped else { return nil }
        return words + (word.map { [$0] } ?? [])
    }

    /// A line that is taken apart into these words, by shells as well.
    static func line(_ words: [String]) -> String {
        words.map { word in
            let isPlain = !word.isEmpty && word.allSatisfy { $0.isLetter || $0.isNumber || "-_+.,:=@%/".contains($0) }
            return isPlain ? word : "'" + word.replacing("'", with: #"'\''"#) + "'"
        }.joined(separator: " ")
    }
}
