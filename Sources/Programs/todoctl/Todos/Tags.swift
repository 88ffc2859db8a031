/// Tags as the user types them, and how they match.
///
/// They match regardless of case, and a tag matches those below it: `work` also matches `Work.Tax`.
enum Tags {
    /// Whether a word begins with a tag sign.
    static func isSigned(_ word: some StringProtocol) -> Bool { word.first == "#" || word.first == "+" }

    /// The tags of a repeatable option: `#work,home` are two.
    static func typed(_ texts: [String]) -> [String] {
        texts.flatMap { text in
            text.split(separator: ",", omittingEmptySubsequences: false).map { tag in
                let tag = tag.drop(while: \.isWhitespace)
                return String(isSigned(tag) ? tag.dropFirst() : tag)
            }
        }
    }

    /// The tags after one sign: `home` and `work` of `+home,work`.
    static func listed(_ text: some StringProtocol) -> [String] {
        let tags = typed([String(text)]).filter { !$0.isEmpty }
        return tags.isEmpty ? [String(text)] : tags
    }

    /// The tag of a word in a filter: `work` for `+work` and `#work`.
    static func named(by word: some StringProtocol) -> String? {
        guard word.utf8.count > 1, isSigned(word) else { return nil }
        return String(word.dropFirst())
    }

    /// The tags in a line, each with its sign: `#work -"to do"`, or `work, home`.
    ///
    /// Inside quotes a quote is doubled.
    static func signed(_ line: String) -> [(sign: Substring, name: String)] {
        line.matches(of: /([#+\-]?)(?:"((?:[^"]|"")+)"|([^\s,#+\-][^\s,]*))/).map { match in
            (match.1, match.2.map { String($0.replacing("\"\"", with: "\"")) } ?? String(match.3 ?? ""))
        }
    }

    /// Formats tags as a line that `signed` parses.
    static func line(_ tags: [String]) -> String {
        tags.map { tag in
            let isPlain = tag.wholeMatch(of: /[^\s,#+\-"][^\s,]*/) != nil
            return "#" + (isPlain ? tag : "\"\(tag.replacing("\"", with: "\"\""))\"")
        }.joined(separator: " ")
    }

    static func contain(_ tag: String, in tags: [String]) -> Bool {
        tags.contains { $0.lowercased() == tag.lowercased() }
    }
}
