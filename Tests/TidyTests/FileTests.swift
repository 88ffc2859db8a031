import Foundation
import Testing

@Suite struct FileTests {
    static let linesMax = 400

    @Test func `no file is longer than 400 lines`() throws {
        for path in ["Sources", "Tests", "Plugins", "Benchmarks", "Examples"].flatMap({ Repository.swiftFiles(below: $0) }) {
            let lines = try Repository.text(path).split(separator: "\n", omittingEmptySubsequences: false).count - 1
            #expect(lines <= Self.linesMax, "\(path)")
        }
    }

    @Test func `no type is named after what it is not`() throws {
        let vague = try Regex(
            #"\b(?:struct|class|enum|actor|protocol)\s+\w*(?:Manager|Helper|Helpers|Utils|Utility|Common|Core)\b"#
        ).wordBoundaryKind(.simple)
        for path in Repository.swiftFiles(below: "Sources") {
            #expect(!SourceText(try Repository.text(path)).lines.contains { $0.contains(vague) }, "\(path)")
        }
    }

    /// A reader finds what the program is; how it came about is in the history, if anywhere.
    @Test func `the project speaks of itself alone`() throws {
        let foreign = [
            #"\bS[0-4]\.\d+"#, #"\b[TDX]\d{1,2}\b"#, #"\bX\.\d"#, #"\bCP\d{1,2}\b"#, #"/work/"#, #"/opt/swift"#,
            #"\b(?:DESIGN|SEEDS|TRAPS|FACTS|STYLE|CONTRACT|RULES)\.md\b"#,
        ]
        let regex = try Regex(foreign.joined(separator: "|")).wordBoundaryKind(.simple)
        // This file has to name what it looks for; test data comes from elsewhere.
        let exempt = ["Tests/TidyTests/FileTests.swift"]
        let folders = ["Sources", "Tests", "Plugins", "Benchmarks", "Examples", "config", "docs", "systemd"]
        let tops = [
            "Package.swift", "Makefile", "README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", ".ci/run",
            ".ci/packages", ".ci/demo", ".ci/example",
        ]
        for path in folders.flatMap({ Repository.files(below: $0) }) + tops.filter({ Repository.exists($0) }) {
            guard !exempt.contains(path), !path.hasSuffix(".json"), let text = try? Repository.text(path) else { continue }
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            let offences = lines.indices.filter { lines[$0].contains(regex) }.map { "\(path):\($0 + 1)" }
            #expect(offences.isEmpty)
        }
    }
}
