/// Swift that is being written, line by line.
struct SwiftText {
    private(set) var text = ""

    mutating func line(_ content: String = "") { text += content + "\n" }

    /// Appends what is no single line.
    mutating func append(_ content: String) { text += content }

    /// Writes the lines of a comment as documentation.
    mutating func document(_ lines: [String], indent: String) {
        for sentence in lines { line(sentence.isEmpty ? indent + "///" : indent + "/// " + sentence) }
    }

    /// The name of a type, a method or an error as that of a function or a case.
    static func lowercased(_ name: String) -> String { quoted(name.prefix(1).lowercased() + name.dropFirst()) }

    /// A name where Swift could take it for a word of its own.
    static func quoted(_ name: String) -> String { ["import", "where"].contains(name) ? "`\(name)`" : name }
}
