public import PersistentCollections
public import Reducing

extension FieldedRow {
    /// Adds the fields of some numbers of the rows at a range of places.
    @inlinable
    public static func append(_ bits: UInt64, at places: Range<Int>, of table: OrderedTable<Self>, to values: inout [Value]) {
        guard !places.isEmpty else { return }
        values.reserveCapacity(values.count + places.count * bits.nonzeroBitCount)
        var visitor = SelectedValues(bits, values)
        values = []
        var left = places.count
        // To take hold of a row is to touch all that it refers to, of which most is not wanted and stands in no cache: half of the time. So
        // the visitor, which changes nothing, sees the bytes of one that the table holds meanwhile, and nobody lets go of it twice.
        withUnsafeTemporaryAllocation(of: Self.self, capacity: 1) { room in
            guard let lent = room.baseAddress else { return }
            table.forEachInPlace(from: places.lowerBound) { _, row in
                UnsafeMutableRawPointer(lent).copyMemory(from: row, byteCount: MemoryLayout<Self>.size)
                lent.pointee.visit(&visitor)
                left -= 1
                return left > 0
            }
        }
        values = visitor.values
    }
}

/// Collects the values of some fields of rows, as `SelectedFields` does, without their names.
@usableFromInline
struct SelectedValues: FieldVisitor {
    @inlinable static var changesFields: Bool { false }
    @usableFromInline let bits: UInt64
    @usableFromInline var values: [Value]

    @inlinable
    init(_ bits: UInt64, _ values: [Value]) {
        (self.bits, self.values) = (bits, values)
    }

    @inlinable
    mutating func field<Part: Field>(
        _ number: UInt32, _ name: String, _ part: inout Part, _ presence: FieldPresence, undone rule: UndoRule
    ) {
        guard bits & 1 << UInt64(number) != 0 else { return }
        values.append(presence == .optional && part.isInitial ? .null : part.value)
    }
}
