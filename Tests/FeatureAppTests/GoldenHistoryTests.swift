import Chronicle
import ChronicleLog
import FeatureApp
import FeatureFlows
import FeaturePosts
import FeatureTodos
import Foundation
import Testing

/// Recorded histories of every release, which must fold to the same states in every later release.
///
/// A line is a record: its time, its origin, its action and the digest of the state after it. The last line is the final state as
/// the base of a compacted log. A release that changes the reducers doesn't change these files; it logs other actions.
@Suite struct GoldenHistoryTests {
    static let directory = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden")
    static let files = ["history-1.txt"]
    /// Histories with a deprecated form that a feature reads but no longer writes: `form-Todos-title.txt`.
    static let forms = ((try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []).filter {
        $0.hasPrefix("form-")
    }

    private static func lines(_ file: String) throws -> [[Substring]] {
        try String(contentsOf: directory.appending(path: file), encoding: .utf8).split(separator: "\n")
            .map { $0.split(separator: " ") }
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private static func bytes(_ hex: Substring) throws -> [UInt8] {
        let digits = try hex.map { try #require($0.hexDigitValue) }
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    private static func digest(_ state: App.State) -> String {
        String(Checksum.of(state.canonicalBytes.span.bytes), radix: 16)
    }

    @Test(arguments: files + forms) func `a recorded history folds to the recorded states`(file: String) throws {
        var state = App.State()
        var names: Set<String> = []
        let lines = try Self.lines(file)
        for (index, line) in lines.dropLast().enumerated() {
            let action = try App.Action(canonical: try Self.bytes(line[2]))
            let context = Context(time: try #require(Int64(line[0])), origin: try #require(UInt32(line[1])))
            _ = App.reduce(&state, action, context)
            // A state in a deprecated form had other bytes, so only the last one is compared.
            if Self.files.contains(file) { try #require(Self.digest(state) == line[3], "record \(index + 1): \(action)") }
            names.insert("\(action)".split(separator: "(").prefix(2).joined(separator: "."))
        }
        if Self.files.contains(file) { #expect(names.count >= 30, "\(names.sorted())") }
        #expect(try App.State(canonical: try Self.bytes(try #require(lines.last)[1])) == state)
    }

    // Fails if a `former` is removed.
    @Test func `every deprecated form occurs in a recorded history`() throws {
        let features = Self.directory.appending(path: "../../../Sources/Features").standardizedFileURL
        var wanted: Set<String> = []
        for path in try FileManager.default.subpathsOfDirectory(atPath: features.path) where path.hasSuffix(".swift") {
            let text = try String(contentsOf: features.appending(path: path), encoding: .utf8)
            for match in text.matches(of: /\.former\(\s*\d+,\s*"(\w+)"/) {
                wanted.insert("form-\(path.prefix { $0 != "/" })-\(match.output.1).txt")
            }
        }
        #expect(Set(Self.forms) == wanted)
        for form in Self.forms {
            let isOlder = try Self.lines(form).dropLast().contains { line in
                let bytes = try Self.bytes(line[2])
                return try App.Action(canonical: bytes).canonicalBytes != bytes
            }
            let base = try Self.bytes(try #require(Self.lines(form).last)[1])
            let isOlderBase = try App.State(canonical: base).canonicalBytes != base
            #expect(isOlder || isOlderBase, "\(form) holds nothing in an older form")
        }
    }

    @Test(arguments: files) func `a recorded base equals the folded state`(file: String) throws {
        let lines = try Self.lines(file)
        let base = try #require(lines.last)
        let bytes = try Self.bytes(base[1])
        let state = try App.State(canonical: bytes)
        #expect(state.canonicalBytes == bytes)
        #expect(Self.digest(state) == lines[lines.count - 2][3])
        #expect(!state.todos.items.isEmpty && !state.posts.items.isEmpty && !state.flows.items.isEmpty)
    }

    /// Writes the file of a new release to the path in `TODOD_GOLDEN`.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["TODOD_GOLDEN"] != nil)) func `a new golden history is recorded`()
        throws
    {
        let path = try #require(ProcessInfo.processInfo.environment["TODOD_GOLDEN"])
        var app = RandomApp(1)
        var text = ""
        var state = App.State()
        app.note = { action, context in
            _ = App.reduce(&state, action, context)
            text += "\(context.time) \(context.origin) \(Self.hex(action.canonicalBytes)) \(Self.digest(state))\n"
        }
        for _ in 0..<300 { app.step() }
        text += "state \(Self.hex(state.canonicalBytes))\n"
        try text.write(toFile: path, atomically: true, encoding: .utf8)
    }
}
