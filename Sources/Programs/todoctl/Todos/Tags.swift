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

    /// The tags that stand behind one sign: `home` and `work` of `+home,work`.
    static func listed(_ text: some StringProtocol) -> [String] {
        let tags = typed([String(text)]).filter { !$0.isEmpty }
        return tags.isEmpty ? [String(text)] : tags
    }

    /// What a word of a filter names: `work` of `+work` and `#work`; `nil` of any other word.
    static func named(by word: some StringProtocol) -> String? {
        guard word.utf8.count > 1, isSigned(word) else { return nil }
        return String(word.dropFirst())
    }

    /// Whether some of these tags is called so, whatever the case.
    static func contain(_ tag: String, in tags: [String]) -> Bool {
        tags.contains { $0.lowercased() == tag.lowercased() }
    }
}
