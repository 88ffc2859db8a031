import Foundation
import Testing

@Suite struct HouseTests {
    @Test(arguments: [
        "build", "run", "demo", "test", "test-example", "test-faces", "lint", "bench", "docs", "install", "clean", "help",
        "test-tsan",
        "test-asan",
    ])
    func `a make target exists and has a help text`(target: String) throws {
        let lines = try Repository.text("Makefile").split(separator: "\n")
        #expect(lines.contains { $0.hasPrefix("\(target):") && $0.contains("## ") })
    }

    @Test func `the configuration file has every key once, commented out, below its description`() throws {
        let lines = try Repository.text("config/todod.env").split(separator: "\n", omittingEmptySubsequences: false)
        var seen: Set<Substring> = []
        for (index, line) in lines.enumerated() {
            #expect(line.isEmpty || line.hasPrefix("# "), "line \(index + 1) sets something")
            guard let key = line.firstMatch(of: /^# (TODOD_[A-Z_]+)=/)?.1 else { continue }
            #expect(seen.insert(key).inserted, "\(key) occurs twice")
            #expect(
                index > 0 && lines[index - 1].hasPrefix("# ") && !lines[index - 1].contains("TODOD_"), "\(key) has no meaning")
        }
        #expect(seen.count >= 15)
    }

    @Test func `the manual page and the configuration file have the same keys`() throws {
        let keys = Self.keys(in: try Repository.text("config/todod.env"))
        let documented = try Repository.text("Sources/Programs/todod/Manual/todod.8").matches(of: /Ev (TODOD_[A-Z_]*[A-Z])/)
        #expect(Set(documented.map { String($0.1) }) == keys)
    }

    @Test func `the README fits on a screen and shows the two commands`() throws {
        let text = try Repository.text("README.md")
        #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count <= 61)
        #expect(text.contains("make run") && text.contains("make test"))
    }

    /// A path, or the name of a file anywhere; `Name` stands for the name of something new.
    @Test(arguments: ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "docs/DECISIONS.md", "docs/SCHEMA.md"])
    func `every file that a document names exists`(document: String) throws {
        let text = try Repository.text(document)
        let folder = Repository.url(document).deletingLastPathComponent()
        let links = text.matches(of: /\]\(([^)#:]+)(?:#[^)]*)?\)/).map { String($0.1) }
        for link in links { #expect(FileManager.default.fileExists(atPath: folder.appending(path: link).path), "\(link)") }

        let files = ["Sources", "Tests", "Examples"].flatMap { Repository.files(below: $0) }
        let name = /`((?:Sources|Tests|Examples|config|docs)\/[\w+.\/\-]+|[\w+.\/\-]+\.(?:feature|js|swift|varlink))`/
        let names = text.matches(of: name).map { String($0.1) }.filter { !$0.hasPrefix("Name") }
        for name in names { #expect(Repository.exists(name) || files.contains { $0.hasSuffix("/" + name) }, "\(name)") }
        #expect(!links.isEmpty || !names.isEmpty)
    }

    @Test(.enabled(if: Tool.mandoc.isInstalled, "mandoc is not installed"))
    func `every manual page passes mandoc`() throws {
        let pages = Repository.files(below: "Sources").filter { $0.contains("/Manual/") }
        #expect(pages.contains { $0.hasSuffix("todod.8") })
        for page in pages {
            let outcome = try Tool.mandoc.run(["-T", "lint", "-W", "warning", Repository.url(page).path])
            #expect(outcome.status == 0, "\(outcome.output)")
        }
    }

    private static func keys(in text: String) -> Set<String> {
        Set(text.matches(of: /TODOD_[A-Z_]*[A-Z]/).map { String($0.0) })
    }
}
