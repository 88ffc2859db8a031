import Testing

/// The articles of the library show code that is built and tested.
@Suite struct ArticleTests {
    static let articles = Repository.files(below: "Sources/State/Chronicle/Chronicle.docc").filter { $0.hasSuffix(".md") }

    @Test func `every code block of an article is part of an example`() throws {
        let examples = try Repository.files(below: "Examples").filter { $0.hasSuffix(".swift") || $0.hasSuffix(".feature") }
            .map { Self.flush(try Repository.text($0)) }
        var count = 0
        for article in Self.articles {
            for block in try Repository.text(article).matches(of: /(?s)\n```(?:swift)?\n(.*?)```/) {
                count += 1
                let code = Self.flush(String(block.1))
                #expect(examples.contains { $0.contains(code) }, "\(article): \(block.1)")
            }
        }
        #expect(count >= 20)
    }

    @Test func `the first page names every article, and at most fourteen concepts`() throws {
        let first = try Repository.text("Sources/State/Chronicle/Chronicle.docc/Chronicle.md")
        #expect(first.matches(of: /\n\d+\. \*\*/).count <= 14)
        let named = Set(first.matches(of: /<doc:(\w+)>/).map { String($0.1) })
        let files = Self.articles.compactMap { $0.split(separator: "/").last?.dropLast(3) }.map(String.init)
        #expect(named == Set(files).subtracting(["Chronicle"]))
    }

    /// The lines without their indentation.
    private static func flush(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { $0.drop { $0 == " " } }.joined(separator: "\n")
    }
}
