import ChronicleValues
import TodoRules

/// Why a file of todos can't be read.
public struct FormatError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The line, from 1.
    public var line: Int
    /// What is wrong there, as the rest of a sentence.
    ///
    /// What the file says stands in it as it was written.
    public var message: String

    /// Names a line and what is wrong there.
    public init(line: Int, _ message: String) {
        self.line = line
        self.message = message
    }

    /// The line and what is wrong there, as a sentence for people.
    public var description: String { "Line \(line): \(message)." }
}

/// The largest that a file of todos may say, beside `TodoLimits`; what is larger is refused and not cut.
public enum FormatLimits {
    public static let fileBytesMax = 64 << 20
    /// Bytes of a line, where lines are todos; of several that are folded into one, together.
    public static let lineBytesMax = 1 << 20
    /// Todos of a file: each takes some hundred bytes of memory, and can be written in two.
    public static let todosMax = 1_000_000
    /// UTF-8 bytes of what a source calls a todo.
    public static let sourceBytesMax = 256
    /// Attributes of one todo that mean nothing here.
    public static let attributesMax = 64
    /// UTF-8 bytes of those together, with their names.
    public static let attributesBytesMax = 32_768

    /// When a todo can have been added or completed, in microseconds since 1970: what every reader of JSON knows exactly.
    static let timeRange = -Int64.exactMax...Int64.exactMax

    /// Refuses a todo that is too large, or of a time that no record holds.
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
        try require(todo.after.count, atMost: TodoLimits.afterMax, "\(todo.after.count) todos are to be done before")
        for (name, time) in [("created", todo.created), ("completed", todo.completed)] {
            guard let time, !timeRange.contains(time) else { continue }
            throw FormatError(line: todo.line, "it was \(name) before the year 1685 or behind 2254, which can't be kept")
        }
        let source = todo.source?.utf8.count ?? 0
        try require(source, atMost: sourceBytesMax, "the id has \(source) bytes")
        try require(todo.attributes.count, atMost: attributesMax, "there are \(todo.attributes.count) further attributes")
        let bytes = todo.attributes.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        try require(bytes, atMost: attributesBytesMax, "the further attributes have \(bytes) bytes")
    }
}
