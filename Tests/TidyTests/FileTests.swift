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

    /// Maximum numbers of lines; new code must replace old code.
    static let budgets = [
        ("Features", 2_650), ("HTTP", 860), ("Log", 9_820), ("Programs", 30_700), ("Service", 7_980), ("State", 9_570),
        ("Store", 15_661), ("Wire", 5_450),
    ]

    @Test(arguments: budgets) func `a source folder stays within its line budget`(folder: String, max: Int) throws {
        let lines = try Repository.swiftFiles(below: "Sources/" + folder).reduce(0) { sum, path in
            sum + (try Repository.text(path).count { $0.isNewline })
        }
        #expect(lines <= max, "\(folder) has \(lines) lines")
    }

    @Test func `no type has a vague name`() throws {
        let vague = try Regex(
            #"\b(?:struct|class|enum|actor|protocol)\s+\w*(?:Manager|Helper|Helpers|Utils|Utility|Common|Core)\b"#
        ).wordBoundaryKind(.simple)
        for path in Repository.swiftFiles(below: "Sources") {
            #expect(!SourceText(try Repository.text(path)).lines.contains { $0.contains(vague) }, "\(path)")
        }
    }

    /// The files describe the program, not how it was developed.
    @Test func `no file refers to anything outside the project`() throws {
        let foreign = [
            #"\bS[0-4]\.\d+"#, #"\b[TDX]\d{1,2}\b"#, #"\bX\.\d"#, #"\bCP\d{1,2}\b"#, #"/work/"#, #"/opt/swift"#,
            #"\b(?:DESIGN|SEEDS|TRAPS|FACTS|STYLE|CONTRACT|RULES)\.md\b"#,
        ]
        let regex = try Regex(foreign.joined(separator: "|")).wordBoundaryKind(.simple)
        // This file contains the patterns.
        let exempt = ["Tests/TidyTests/FileTests.swift"]
        let folders = ["Sources", "Tests", "Plugins", "Benchmarks", "Examples", "config", "docs", "systemd"]
        let tops = [
            "Package.swift", "Makefile", "README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", ".ci/run",
            ".ci/packages", ".ci/demo", ".ci/example", ".ci/example-daemon", ".ci/example-links",
        ]
        for path in folders.flatMap({ Repository.files(below: $0) }) + tops.filter({ Repository.exists($0) }) {
            guard !exempt.contains(path), !path.hasSuffix(".json"), let text = try? Repository.text(path) else { continue }
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            let offences = lines.indices.filter { lines[$0].contains(regex) }.map { "\(path):\($0 + 1)" }
            #expect(offences.isEmpty)
        }
    }
}
