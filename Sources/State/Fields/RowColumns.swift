public import PersistentCollections
public import Reducing

extension FieldedRow {
    /// Shows the fields of some numbers of the same rows to a reader, as columns in the order of the numbers.
    ///
    /// - Parameter stages: which of the columns are shown first, and which of those rows of which more is wanted.
    @inlinable
    public static func show(
        _ bits: UInt64, _ stages: [UInt64], at places: Range<Int>, of table: OrderedTable<Self>, to reader: any ColumnReader
    ) {
        guard !places.isEmpty else { return }
        var visitor = ShownColumns(bits, reader)
        var left = places.count
        withUnsafeTemporaryAllocation(of: Self.self, capacity: 1) { room in
            guard let lent = room.baseAddress else { return }
            // To take hold of a row is to touch all that it refers to, of which most is not wanted and stands in no cache: half of the time.
            // So the visitor, which changes nothing, sees the bytes of one that the table holds meanwhile, and nobody lets go of it twice.
            table.forEachInPlace(from: places.lowerBound) { _, row in
                UnsafeMutableRawPointer(lent).copyMemory(from: row, byteCount: MemoryLayout<Self>.size)
                reader.readStages(stages) { wanted in
                    visitor.wanted = wanted
                    lent.pointee.visit(&visitor)
                }
                left -= 1
                return reader.endElement() && left > 0
            }
        }
    }
}

/// Shows some fields of rows to a reader, as columns in the order of their numbers.
@usableFromInline
struct ShownColumns: FieldVisitor {
    @inlinable static var changesFields: Bool { false }
    @usableFromInline let bits: UInt64
    @usableFromInline let reader: any ColumnReader
    /// Which of the columns.
    @usableFromInline var wanted: UInt64 = 0

    @inlinable
    init(_ bits: UInt64, _ reader: any ColumnReader) { (self.bits, self.reader) = (bits, reader) }

    @inlinable
    mutating func field<Part: Field>(
        _ number: UInt32, _ name: String, _ part: inout Part, _ presence: FieldPresence, undone rule: UndoRule
    ) {
        let bit = 1 << UInt64(number) as UInt64
        guard bits & bit != 0 else { return }
        let column = (bits & (bit - 1)).nonzeroBitCount
        guard wanted & 1 << UInt64(column) != 0 else { return }
        if presence == .optional, part.isInitial { reader.readNothing(column) } else { part.show(column, to: reader) }
    }
}
