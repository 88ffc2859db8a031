public import Values

/// Some fields of the elements of a list.
public struct ListColumns: Sendable {
    /// The names of the fields, in the order in which each element has them.
    public var names: [String]
    /// A bit for each that is a text or a list of texts, of which the signatures of elements tell.
    public var texts: UInt64
    /// Shows those of the elements of a range within `0..<count` where they are, element by element: some columns first, given as bits, and
    /// others of those elements of which the reader wants more.
    public var show: @Sendable (Range<Int>, _ stages: [UInt64], any ColumnReader) -> Void

    /// Makes columns.
    public init(
        names: [String], texts: UInt64 = 0, show: @escaping @Sendable (Range<Int>, _ stages: [UInt64], any ColumnReader) -> Void
    ) {
        (self.names, self.texts) = (names, texts)
        self.show = show
    }

    /// Makes columns of elements that are read as a whole.
    public init(names: [String], of elements: @escaping @Sendable (Range<Int>) -> [Value]) {
        self.init(names: names) { places, stages, reader in
            for element in elements(places) {
                reader.readStages(stages) { bits in
                    for column in names.indices where bits & 1 << UInt64(column) != 0 {
                        reader.readAny(column, element[names[column]] ?? .null)
                    }
                }
                if !reader.endElement() { return }
            }
        }
    }

    /// The fields of the elements of a range, one element behind the other; what an element does not have is `null`.
    public func values(_ places: Range<Int>) -> [Value] {
        let collector = ColumnCollector(columns: names.count)
        show(places, [.max], collector)
        return collector.values
    }
}

/// Is shown the fields of one element after the other in their places, in whatever order they come; to look at a text makes no value of it.
public protocol ColumnReader: AnyObject {
    /// What an element has to have to be of interest, with a bit for each column; of others no field need be shown.
    var needed: Signature { get }
    /// Where is kept what elements have; `nil`: it is not asked.
    var memory: ListMemory? { get }
    /// There is no such field.
    func readNothing(_ column: Int)
    /// A field that is neither a text nor a list of texts, or is shown as a value all the same.
    func read(_ column: Int, _ value: Value)
    func read(_ column: Int, text: String)
    func read(_ column: Int, texts: [String])
    /// Behind the last field of a stage; whether the next stage of the same element is wanted.
    func endStage() -> Bool
    /// Behind the last field of an element; whether the next one is wanted.
    func endElement() -> Bool
}

extension ColumnReader {
    /// Nothing: it wants all elements.
    public var needed: Signature { Signature() }
    /// Nowhere.
    public var memory: ListMemory? { nil }

    /// Shows a value as what it is.
    func readAny(_ column: Int, _ value: Value) {
        switch value {
        case .null: readNothing(column)
        case .text(let text): read(column, text: text)
        case .list(let elements) where elements.allSatisfy({ $0.text != nil }):
            read(column, texts: elements.compactMap(\.text))
        case .bool, .int, .double, .list, .record: read(column, value)
        }
    }

    /// Lets stage after stage of an element be shown, for as long as the next one is wanted.
    @inlinable
    public func readStages(_ stages: [UInt64], _ show: (UInt64) -> Void) {
        for index in stages.indices {
            if stages[index] != 0 { show(stages[index]) }
            if !endStage() { return }
        }
    }
}
