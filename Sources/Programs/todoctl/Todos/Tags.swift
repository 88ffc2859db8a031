/// Tags as people type them, and what they find.
///
/// They are found whatever the case of their letters, and a dot leads to what lies below: `work` also finds `Work.Tax`.
enum Tags {
    /// Whether a word begins with what stands before a tag.
    static func isSigned(_ word: some StringProtocol) -> Bool { word.first == "#" || word.first == "+" }

    /// The tags of an option that can be given several times: `#work,home` are two.
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

    /// What a word of a filter names: `work` of `+work` and `#work`; `nil` of any other word.
    static func named(by word: some StringProtocol) -> String? {
        guard word.utf8.count > 1, isSigned(word) else { return nil }
        return String(word.dropFirst())
    }

    /// The tags in a line, each with the sign before it: `#work -"to do"`, or `work, home`.
    ///
    /// Inside quotes a quote is written twice.
    static func signed(_ line: String) -> [(sign: Substring, name: String)] {
        line.matches(of: /([#+\-]?)(?:"((?:[^"]|"")+)"|([^\s,#+\-][^\s,]*))/).map { match in
            (match.1, match.2.map { String($0.replacing("\"\"", with: "\"")) } ?? String(match.3 ?? ""))
        }
    }

    /// A line that `signed` reads as these tags.
    static func line(_ tags: [String]) -> String {
        tags.map { tag in
            let isPlain = tag.wholeMatch(of: /[^\s,#+\-"][^\s,]*/) != nil
            return "#" + (isPlain ? tag : "\"\(tag.replacing("\"", with: "\"\""))\"")
        }.joined(separator: " ")
    }

    /// Whether some of these tags is called so, whatever the case.
    static func contain(_ tag: String, in tags: [String]) -> Bool {
        tags.contains { $0.lowercased() == tag.lowercased() }
    }
}
