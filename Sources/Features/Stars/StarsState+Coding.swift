public import ActionCoding
public import Reducing

extension Star: ValueConvertible {
    /// `{phase, starCount}`.
    public var value: Value { ["phase": .text(phase.name), "starCount": .int(starCount)] }

    /// Reads `{phase, starCount}`; left out it is without a star, and the count 0.
    public init(_ value: Value) throws(ValueMismatch) {
        var record = try RecordReader(value)
        let name = try record.optional("phase") ?? Phase.unstar.name
        let starCount: Int64 = try record.optional("starCount") ?? 0
        try record.end()
        guard let phase = Phase.allCases.first(where: { $0.name.hasSameBytes(as: name) }) else {
            throw ValueMismatch("phase", "one of unstar, staring, star and unstaring is expected")
        }
        guard starCount >= 0 else { throw ValueMismatch("starCount", "a whole number from 0 is expected") }
        self.init(phase, starCount: starCount)
    }
}

extension Stars.State: ValueConvertible {
    /// `{items}`, where each button stands under its id, in the order of the ids' bytes.
    public var value: Value { ["items": .record(entries.map { Value.Field($0.id, $0.star.value) })] }

    /// Reads `{items}`; left out, all buttons stand as they began.
    public init(_ value: Value) throws(ValueMismatch) {
        self.init()
        var record = try RecordReader(value)
        let items = record.optional("items") ?? [:]
        try record.end()
        guard case .record(let fields) = items else { throw ValueMismatch("items", "an object is expected") }
        for field in fields where field.value != .null {
            do throws(ValueMismatch) { try read(field) } catch { throw error.under(field.name).under("items") }
        }
        guard entries.count <= Stars.Limits.starsMax else {
            throw ValueMismatch("items", "at most \(Stars.Limits.starsMax) stars are expected")
        }
    }

    private mutating func read(_ field: Value.Field) throws(ValueMismatch) {
        guard Stars.Limits.allows(id: field.name) else {
            throw ValueMismatch("", "an id of 1 to \(Stars.Limits.idBytesMax) bytes is expected")
        }
        guard !contains(field.name) else { throw ValueMismatch("", "this id is taken") }
        self[field.name] = try Star(field.value)
    }
}

extension Stars.State: CanonicalCodable {
    /// Fields: 1 the buttons, in the order of their ids' bytes: 1 id, 2 phase (`Star.Phase.rawValue`), 3 starCount.
    public func encode(into writer: inout CanonicalWriter) {
        for entry in entries {
            writer.message(1) { writer in
                writer.field(1, entry.id)
                writer.field(2, entry.star.phase.rawValue)
                writer.field(3, UInt64(clamping: entry.star.starCount))
            }
        }
    }

    /// Reads what `encode` wrote; ids that are impossible or out of order, and buttons that stand as they began, are errors.
    public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        self.init()
        while let number = try cursor.nextField(in: bytes) {
            guard number == 1 else { throw cursor.unknown() }
            var inner = try cursor.enter(bytes)
            let entry = try Self.entry(bytes, &inner)
            guard append(entry) else { throw CanonicalError(.notCanonical, at: cursor.offset) }
        }
    }

    private static func entry(_ bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) -> Entry {
        var id = ""
        var star = Star()
        while let number = try cursor.nextField(in: bytes) {
            switch number {
            case 1: id = try cursor.starID(bytes)
            case 2:
                guard let phase = Star.Phase(rawValue: try cursor.uint(bytes)) else {
                    throw CanonicalError(.notCanonical, at: cursor.offset)
                }
                star.phase = phase
            case 3:
                guard let count = Int64(exactly: try cursor.uint(bytes)), count <= Int64.exactMax else {
                    throw CanonicalError(.notCanonical, at: cursor.offset)
                }
                star.starCount = count
            default: throw cursor.unknown()
            }
        }
        guard !id.utf8.isEmpty else { throw CanonicalError(.missingField(1), at: cursor.offset) }
        return Entry(id: id, star: star)
    }
}
