import ChronicleLog
import Foundation
import Testing

@Suite struct RecordKindTests {
    @Test func `the manual page names every kind of record that a condition can test`() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let manual = try String(
            contentsOf: root.appending(path: "Sources/Programs/todoctl/Manual/todoctl.1"), encoding: .utf8)
        let start = try #require(manual.range(of: ".Cm record.kind\n"))
        let kinds = manual[start.upperBound...].prefix { $0 != "\n" }
        for kind in RecordKind.allCases { #expect(kinds.contains("\\(dq\(kind.name)\\(dq"), "\(kind.name)") }
        #expect(kinds.split(separator: "\\(dq").count == 2 * RecordKind.allCases.count + 1)
    }
}
