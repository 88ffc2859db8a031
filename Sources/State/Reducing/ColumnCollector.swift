/// Collects what columns show as values.
public final class ColumnCollector: ColumnReader {
    /// What was shown of all elements, one after the other.
    public private(set) var values: [Value] = []
    private var element: [Value]

    /// Makes one for so many columns.
    public init(columns: Int) { element = Array(repeating: .null, count: columns) }

    /// Collects null.
    public func readNothing(_ column: Int) { element[column] = .null }

    /// Collects a value.
    public func read(_ column: Int, _ value: Value) { element[column] = value }

    /// Collects a text.
    public func read(_ column: Int, text: String) { element[column] = .text(text) }

    /// Collects texts.
    public func read(_ column: Int, texts: [String]) { element[column] = .list(texts.map { .text($0) }) }

    /// Goes on: it collects all stages.
    public func endStage() -> Bool { true }

    /// Goes on to the next element.
    public func endElement() -> Bool {
        values += element
        for column in element.indices { element[column] = .null }
        return true
    }
}
