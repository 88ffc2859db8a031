import Chronicle
import TodoAPI

/// A range of records as a Swift test: the state before it, and the changes and commands of each action.
///
/// It only calls `TestStore` with literals, so it compiles fast and reads like `todoctl debug`.
struct RecordedTest {
    /// Maximum number of records of a test.
    static let recordsMax = 1_000
    /// Maximum size of the initial state, in bytes of JSON.
    static let stateBytesMax = 1 << 20

    let first: UInt64
    let last: UInt64
    private(set) var lines: [String]

    /// - Throws: if the state is too large for a source file.
    init(first: UInt64, last: UInt64, state: Value) throws(Failure) {
        (self.first, self.last) = (first, last)
        guard state.description.utf8.count <= Self.stateBytesMax else {
            throw Failure(
                .usage, "The state before record \(first) has more than 1 MiB, too much for a test. Begin earlier in the history."
            )
        }
        lines = [
            "// Written by todoctl export --as-test \(first)..\(last).", "// swift-format-ignore-file", "",
            "import FeatureApp", "import ChronicleTesting", "import Testing", "",
            "/// What the reducers did in a real history, and must go on doing. It belongs into Tests/FeatureAppTests.",
            "@Suite struct RecordedHistory\(first)To\(last) {",
            "    @Test func `records \(first) to \(last) change what they changed, and ask for what they asked for`() throws {",
        ]
        let text = Self.pretty(state, depth: 0).split(separator: "\n")
        let signs = String(repeating: "#", count: max(1, Self.signs(in: state.description)))
        lines += ["        let store = try TestStore(", "            recorded: \(signs)\"\"\""]
        lines += text.map { "                \($0)" }
        lines += ["                \"\"\"\(signs), of: App.self)"]
    }

    /// Adds a record with its changes; `nil` if these are too many.
    mutating func add(_ record: RecordMessage, changes: [Change]?) {
        guard let action = record.action else {
            lines.append("        // \(record.sequence): \(record.kind)\(record.outcome.map { ", \($0)" } ?? "")")
            return
        }
        if let cause = record.cause {
            lines.append("        // \(record.outcome ?? "the end") of what record \(cause.sequence) asked for")
        }
        lines.append("        store.fold(")
        lines.append("            \(record.sequence), \(Self.literal(action.description)),")
        lines.append(
            "            time: \(record.time), origin: \(record.origin)\(Self.argument("asking", record.commands.map(Self.text))),"
        )
        let changeLines = changes.flatMap { $0.count <= DebugLines.changesMax ? DebugLines.lines(of: $0) : nil }
        lines.append("            changing: \(changeLines.map(Self.list) ?? "nil"))")
    }

    /// The source file.
    var text: String {
        (lines + ["        store.finish()", "    }", "}"]).joined(separator: "\n") + "\n"
    }

    private static func text(_ command: CommandMessage) -> String { "\(command.name) \(command.arguments)" }

    private static func argument(_ name: String, _ texts: [String]) -> String { texts.isEmpty ? "" : ", \(name): \(list(texts))" }

    private static func list(_ texts: [String]) -> String {
        guard !texts.isEmpty else { return "[]" }
        return "[\n" + texts.map { "                \(literal($0)),\n" }.joined() + "            ]"
    }

    /// A Swift literal of the text, with escapes for invisible characters.
    private static func literal(_ text: String) -> String {
        let signs = String(repeating: "#", count: max(1, signs(in: text)))
        let escaped = text.unicodeScalars.map { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: "\\\(signs)u{\(String(scalar.value, radix: 16))}"
            default: String(scalar)
            }
        }
        return "\(signs)\"\(escaped.joined())\"\(signs)"
    }

    /// Enough number signs that nothing in the text ends the literal or begins an escape.
    private static func signs(in text: String) -> Int {
        var (longest, run) = (0, 0)
        for byte in text.utf8 {
            run = byte == UInt8(ascii: "#") ? run + 1 : 0
            longest = max(longest, run)
        }
        return longest + 1
    }

    /// JSON with a line for each field of the first levels and each element of lists there.
    private static func pretty(_ value: Value, depth: Int) -> String {
        let indent = String(repeating: "  ", count: depth + 1)
        let end = "\n" + String(repeating: "  ", count: depth)
        switch value {
        case .record(let fields) where depth < 2 && !fields.isEmpty:
            let rows = fields.map { "\(indent)\(Value.text($0.name)): \(pretty($0.value, depth: depth + 1))" }
            return "{\n" + rows.joined(separator: ",\n") + end + "}"
        case .list(let elements) where !elements.isEmpty:
            return "[\n" + elements.map { indent + $0.description }.joined(separator: ",\n") + end + "]"
        default: return value.description
        }
    }
}
