public import ChronicleValues

public protocol TableRow: FieldCoding, ReadInPlace, Identifiable where ID == UInt64 {
    // All requirements have a default. They are requirements so that each type of rows gets specialized code for loops over rows.

    static func values(at places: Range<Int>, of table: OrderedTable<Self>) -> [Value]

    /// Passes the fields with some numbers to a reader without a copy of the rows, as columns in the order of the numbers. Bit i stands for
    /// the field with number i.
    /// - Parameter stages: the columns that are read first, and those that are read if the reader wants more of the row.
    static func show(
        _ bits: UInt64, _ stages: [UInt64], at places: Range<Int>, of table: OrderedTable<Self>, to reader: any ColumnReader)

    /// The changes in a table since an older one; `nil` if there are more than `limit`.
    static func changes(of table: OrderedTable<Self>, from old: OrderedTable<Self>, limit: Int) -> [OrderedChange<Self>]?

    /// Passes the fields with some numbers, before and after, of each row whose storage differs between two tables. Ends with `false` if
    /// the body returns `false`. Bit i stands for the field with number i.
    static func differences(
        from old: OrderedTable<Self>, to new: OrderedTable<Self>, _ bits: UInt64, _ body: ([Value.Field]?, [Value.Field]?) -> Bool
    ) -> Bool
}

extension TableRow {
    @inlinable public static func changes(
        of table: OrderedTable<Self>, from old: OrderedTable<Self>, limit: Int
    ) -> [OrderedChange<Self>]? { table.changes(from: old, limit: limit) }

    public static func values(at places: Range<Int>, of table: OrderedTable<Self>) -> [Value] {
        table.values(at: places) { $0.value }
    }

    @inlinable public static func show(
        _ bits: UInt64, _ stages: [UInt64], at places: Range<Int>, of table: OrderedTable<Self>, to reader: any ColumnReader
    ) {
        guard !places.isEmpty else { return }
        var visitor = ShownColumns(bits, reader)
        var left = places.count
        withUnsafeTemporaryAllocation(of: Self.self, capacity: 1) { room in
            guard let lent = room.baseAddress else { return }
            // A copy retains everything that a row refers to. Most of that is not needed and not cached, so copies take half of the time. A
            // row that is read in place is therefore shown as a bitwise copy without retains while the table owns it. Other rows are
            // copied, because their `visit` may assign.
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

    @inlinable public static func differences(
        from old: OrderedTable<Self>, to new: OrderedTable<Self>, _ bits: UInt64, _ body: ([Value.Field]?, [Value.Field]?) -> Bool
    ) -> Bool { new.forEachDifference(from: old, of: { $0.selected(bits) }, isSame: { _, _ in false }, body) }

    @inlinable func selected(_ bits: UInt64) -> [Value.Field] { shown(to: SelectedFields(bits)).fields }

    /// The fields that it has, by number, and the signature of its texts.
    @inlinable var signature: Signature { shown(to: SignedFields()).signature }

    // The bits of the fields in some columns.
    @inlinable static func fields(_ columns: UInt64, of bits: UInt64) -> UInt64 {
        var (fields, left, column) = (0 as UInt64, bits, 0 as UInt64)
        while left != 0 {
            if columns & 1 << column != 0 { fields |= left & (0 &- left) }
            (left, column) = (left & (left - 1), column + 1)
        }
        return fields
    }
}

extension OrderedTable where Element: TableRow {
    @inlinable func values(at places: Range<Int>, _ shown: (Element) -> Value) -> [Value] {
        var values: [Value] = []
        guard !places.isEmpty else { return values }
        values.reserveCapacity(places.count)
        forEach(from: places.lowerBound) { _, row in
            values.append(shown(row))
            return values.count < places.count
        }
        return values
    }
}

/// Collects the fields that a row has, and the signature of its texts.
@usableFromInline struct SignedFields: FieldVisitor {
    @inlinable static var changesFields: Bool { false }
    @usableFromInline private(set) var signature = Signature()

    @inlinable init() {}

    @inlinable @inline(__always) mutating func field<Part: Field>(_ field: FieldInfo, _ part: inout Part) {
        if field.presence == .optional, part.isInitial { return }
        signature.fields |= 1 << UInt64(field.number)
        if let text = part as? String { signature.add(text) }
        if let texts = part as? [String] { for text in texts { signature.add(text) } }
    }
}

/// Passes some fields of a row to a reader, as columns in the order of their numbers.
@usableFromInline struct ShownColumns: FieldVisitor {
    @inlinable static var changesFields: Bool { false }
    @usableFromInline let bits: UInt64
    @usableFromInline let reader: any ColumnReader
    @usableFromInline var wanted: UInt64 = 0

    @inlinable init(_ bits: UInt64, _ reader: any ColumnReader) { (self.bits, self.reader) = (bits, reader) }

    @inlinable @inline(__always) mutating func field<Part: Field>(_ field: FieldInfo, _ part: inout Part) {
        let bit = 1 << UInt64(field.number) as UInt64
        guard bits & bit != 0 else { return }
        let column = (bits & (bit - 1)).nonzeroBitCount
        guard wanted & 1 << UInt64(column) != 0 else { return }
        if field.presence == .optional, part.isInitial { reader.readNothing(column) } else { part.show(column, to: reader) }
    }
}

/// Collects some fields of a row by name, with `null` for those that are left out of its form by name.
@usableFromInline struct SelectedFields: FieldVisitor {
    @inlinable static var changesFields: Bool { false }
    @usableFromInline let bits: UInt64
    @usableFromInline var fields: [Value.Field] = []

    @inlinable init(_ bits: UInt64) {
        self.bits = bits
        fields.reserveCapacity(bits.nonzeroBitCount)
    }

    @inlinable @inline(__always) mutating func field<Part: Field>(_ field: FieldInfo, _ part: inout Part) {
        guard bits & 1 << UInt64(field.number) != 0 else { return }
        fields.append(Value.Field(field.name, field.presence == .optional && part.isInitial ? .null : part.value))
    }
}
