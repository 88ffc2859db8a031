import ChronicleValues
import TodoRules

public struct FormatError: Error, Sendable, Equatable, CustomStringConvertible {
    public var line: Int
    /// The problem, as the rest of a sentence.
    ///
    /// Quotes from the file are not escaped.
    public var message: String

    public init(line: Int, _ message: String) {
        self.line = line
        self.message = message
    }

    public var description: String { "Line \(line): \(message)." }
}

/// Limits of a file of todos, in addition to `TodoLimits`; larger values are refused, not truncated.
public enum FormatLimits {
    public static let fileBytesMax = 64 << 20
    /// Bytes of a line, or of all lines that are folded into one.
    public static let lineBytesMax = 1 << 20
    /// Todos of a file; each takes some hundred bytes of memory and can be as short as two bytes.
    public static let todosMax = 1_000_000
    public static let sourceBytesMax = 256
    public static let attributesMax = 64
    /// UTF-8 bytes of all attributes of one todo, including their names.
    public static let attributesBytesMax = 32_768

    /// Range of the creation and completion times, in microseconds since 1970: the integers that every JSON parser
    /// represents exactly.
    static let timeRange = -Int64.exactMax...Int64.exactMax

    static func check(_ todo: ForeignTodo) throws(FormatError) {
        func require(_ count: Int, atMost most: Int, _ what: String) throws(FormatError) {
            guard count <= most else {
                throw FormatError(line: todo.line, "\(what) here, and at most \(most) are taken")
            }
        }
        try require(todo.title.utf8.count, atMost: TodoLimits.titleBytesMax, "the title has \(todo.title.utf8.count) bytes")
        try require(todo.note.utf8.count, atMost: TodoLimits.noteBytesMax, "the note has \(todo.note.utf8.count) bytes")
        try require(todo.tags.count, atMost: TodoLimits.tagsMax, "there are more tags")
        for tag in todo.tags { try require(tag.utf8.count, atMost: TodoLimits.tagBytesMax, "a tag has \(tag.utf8.count) bytes") }
        try require(todo.after.count, atMost: TodoLimits.afterMax, "\(todo.after.count) dependencies are")
        for (name, time) in [("created", todo.created), ("completed", todo.completed)] {
            guard let time, !timeRange.contains(time) else { continue }
            throw FormatError(line: todo.line, "it was \(name) before the year 1685 or after 2254, which is out of range")
        }
        let source = todo.source?.utf8.count ?? 0
        try require(source, atMost: sourceBytesMax, "the id has \(source) bytes")
        try require(todo.attributes.count, atMost: attributesMax, "there are \(todo.attributes.count) further attributes")
        let bytes = todo.attributes.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        try require(bytes, atMost: attributesBytesMax, "the further attributes have \(bytes) bytes")
    }
}
