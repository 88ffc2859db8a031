public import Chronicle
import TodoRules
import Varlink

/// Parses titles of todos from a file or a web page: one per line, or a JSON array.
///
/// The array holds strings, objects with a `title`, or both. Blank lines and blank titles are ignored.
public enum TitleList {
    public static let bytesMax = 1 << 20
    public static let titlesMax = 10_000

    /// Returns the titles in order.
    ///
    /// - Parameter place: the name of the source in error messages.
    /// - Throws: a permanent failure that names the error and its position.
    public static func titles(in bytes: [UInt8], from place: String) throws(CommandFailure) -> [String] {
        let found = isArray(bytes) ? try elements(of: bytes, from: place) : try lines(of: bytes, from: place)
        let titles = found.map(\.title).map(onOneLine)
        for (title, found) in zip(titles, found) where title.utf8.count > TodoLimits.titleBytesMax {
            throw wrong("title \(found.number) has more than \(TodoLimits.titleBytesMax) bytes", place)
        }
        let filled = titles.filter { !$0.isEmpty }
        guard filled.count <= titlesMax else { throw wrong("there are more than \(titlesMax) titles", place) }
        return filled
    }

    /// A line such as `[ ] call Ann` is not an array.
    private static func isArray(_ bytes: [UInt8]) -> Bool {
        let marks = bytes.lazy.filter { $0 > 0x20 }.prefix(2)
        guard marks.first == UInt8(ascii: "["), let second = marks.dropFirst().first else { return false }
        if second == UInt8(ascii: "]") { return bytes.lazy.filter { $0 > 0x20 }.prefix(3).count == 2 }
        return second == UInt8(ascii: "\"") || second == UInt8(ascii: "{")
    }

    private static func elements(of bytes: [UInt8], from place: String) throws(CommandFailure) -> [(number: Int, title: String)] {
        let json: Value
        do {
            json = try Value(parsing: bytes, limits: JSONLimits(depthMax: 8, duplicateNames: .keep))
        } catch {
            throw wrong("\(error)", place)
        }
        var titles: [(number: Int, title: String)] = []
        for (index, element) in (json.list ?? []).enumerated() {
            guard let title = element.text ?? element["title"]?.text else {
                throw wrong("element \(index + 1) is neither a text nor an object with a title", place)
            }
            titles.append((index + 1, title))
        }
        return titles
    }

    private static func lines(of bytes: [UInt8], from place: String) throws(CommandFailure) -> [(number: Int, title: String)] {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw wrong("the text is not UTF-8", place) }
        // Split by bytes: CR LF is one Character and would not be split.
        return text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated().map {
            ($0.offset + 1, String(Substring($0.element)))
        }
    }

    /// Replaces control characters with spaces and trims the ends.
    private static func onOneLine(_ title: String) -> String {
        let line = String.UnicodeScalarView(
            title.unicodeScalars.map { $0.properties.generalCategory == .control || $0 == "\u{FEFF}" ? " " : $0 })
        let start = line.firstIndex { !$0.properties.isWhitespace } ?? line.endIndex
        let end = line.lastIndex { !$0.properties.isWhitespace }.map { line.index(after: $0) } ?? start
        return String(line[start..<end])
    }

    private static func wrong(_ what: String, _ place: String) -> CommandFailure {
        CommandFailure("The todos of \(place) can't be read: \(what).", isPermanent: true)
    }
}

/// Loads todos from a file: one title per line, or a JSON array of titles.
public struct TodoFile: TodoSource {
    public let path: String

    /// The file is read at each load and may not exist yet.
    public init(path: String) { self.path = path }

    public func titles(_ ticket: CommandTicket) async throws(CommandFailure) -> [String] {
        try TitleList.titles(in: try FileContents(of: path, bytesMax: TitleList.bytesMax).bytes, from: path)
    }
}
