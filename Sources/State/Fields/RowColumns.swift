public import PersistentCollections
public import Reducing
public import Values

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
            // A copy retains everything that a row refers to. Most of that is not needed and not cached, so copies take half of the time. A row
            // that is read in place is therefore shown as a bitwise copy without retains while the table owns it. Other rows are copied,
            // because their `visit` may assign.
            func show(_ row: UnsafePointer<Self>) {
                if isReadInPlace {
                    UnsafeMutableRawPointer(lent).copyMemory(from: row, byteCount: MemoryLayout<Self>.size)
                } else {
                    lent.initialize(to: row.pointee)
                }
                defer { if !isReadInPlace { lent.deinitialize(count: 1) } }
                reader.readStages(stages) { wanted in
                    visitor.wanted = wanted
                    lent.pointee.visit(&visitor)
                }
            }
            func endElement() -> Bool {
                left -= 1
                return reader.endElement() && left > 0
            }
            let needed = Signature(fields: fields(reader.needed.fields, of: bits), texts: reader.needed.texts)
            guard let memory = reader.memory, needed != Signature() else {
                table.forEachInPlace(from: places.lowerBound) { _, row in
                    show(row)
                    return endElement()
                }
                return
            }
            var signatures = memory.take(OrderedTable<Self>.Marks<Signature>.self) ?? .init()
            table.forEachInPlace(from: places.lowerBound, &signatures, \.signature, where: { $0.has(needed) }) { _, row in
                if let row { show(row) }
                return endElement()
            }
            memory.put(signatures)
        }
    }

    /// What it has, with a bit for the number of each field.
    @inlinable var signature: Signature {
        var (row, visitor) = (self, SignedFields())
        row.visit(&visitor)
        return visitor.signature
    }

    // The bits of the fields that stand in some columns.
    @inlinable
    static func fields(_ columns: UInt64, of bits: UInt64) -> UInt64 {
        var (fields, left, column) = (0 as UInt64, bits, 0 as UInt64)
        while left != 0 {
            if columns & 1 << column != 0 { fields |= left & (0 &- left) }
            (left, column) = (left & (left - 1), column + 1)
        }
        return fields
    }
}

/// Collects which fields there are, and what their texts have.
@usableFromInline
struct SignedFields: FieldVisitor {
    @inlinable static var changesFields: Bool { false }
    @usableFromInline private(set) var signature = Signature()

    @inlinable
    init() {}

    @inlinable
    mutating func field<Part: Field>(
        _ number: UInt32, _ name: String, _ part: inout Part, _ presence: FieldPresence, undone rule: UndoRule
    ) {
        if presence == .optional, part.isInitial { return }
        signature.fields |= 1 << UInt64(number)
        if let text = part as? String { signature.add(text) }
        if let texts = part as? [String] { for text in texts { signature.add(text) } }
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
