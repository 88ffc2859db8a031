public import ChronicleValues

/// A message that lists its fields once; both directions of its coding follow from the list.
///
/// A number that was given once is never given to another field: logs contain it.
public protocol RowCoding: CanonicalCodable {
    /// Creates the value in which all fields are initial.
    init()
    /// Passes each field to a coder, in ascending order of their numbers.
    mutating func code<Coder: RowCoder>(_ fields: inout Coder) throws(Coder.Failure)
    /// Whether the fields fit together; a reader refuses a message whose fields don't.
    var isValid: Bool { get }
}

/// Writes or reads the fields of a message; a field with its initial value is omitted.
public protocol RowCoder {
    associatedtype Failure: Error

    mutating func field(_ number: UInt32, _ value: inout UInt64) throws(Failure)
    mutating func field(_ number: UInt32, _ value: inout UInt32) throws(Failure)
    mutating func field(_ number: UInt32, _ value: inout Int64) throws(Failure)
    mutating func field(_ number: UInt32, _ value: inout Bool) throws(Failure)
    mutating func field(_ number: UInt32, _ value: inout String) throws(Failure)
    mutating func field(_ number: UInt32, _ value: inout [UInt8]) throws(Failure)
    /// A number that a newer version may have given a meaning.
    mutating func field<Value: RawRepresentable<UInt8>>(_ number: UInt32, _ value: inout Value) throws(Failure)
    /// A message that is always written.
    mutating func message<Message: CanonicalCodable>(_ number: UInt32, _ value: inout Message) throws(Failure)
    mutating func message<Message: CanonicalCodable>(_ number: UInt32, _ value: inout Message?) throws(Failure)
    mutating func list<Message: CanonicalCodable>(_ number: UInt32, _ values: inout [Message], max: Int) throws(Failure)
    /// Ids as messages of 1 the first of consecutive ids, 2 the number of further ones.
    mutating func runs(_ number: UInt32, _ ids: inout [UInt64], max: Int) throws(Failure)
}

extension RowCoding {
    public var isValid: Bool { true }

    public func encode(into writer: inout CanonicalWriter) {
        var fields = RowWriter(writer: writer)
        // Not copied when the coder appends.
        writer = CanonicalWriter()
        var copy = self
        copy.code(&fields)
        writer = fields.writer
    }

    public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        self.init()
        try read(bytes, &cursor)
        guard isValid else { throw CanonicalError(.notCanonical, at: cursor.offset) }
    }

    private mutating func read(_ bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        cursor = try bytes.withUnsafeBytes { (pointer) throws(CanonicalError) -> CanonicalCursor in
            var reader = RowReader(fields: try MessageCursor(pointer, cursor))
            try code(&reader)
            return try reader.fields.finish()
        }
    }
}

struct RowWriter: RowCoder {
    var writer = CanonicalWriter()

    mutating func field(_ number: UInt32, _ value: inout UInt64) { writer.field(number, value) }
    mutating func field(_ number: UInt32, _ value: inout UInt32) { writer.field(number, UInt64(value)) }
    mutating func field(_ number: UInt32, _ value: inout Int64) { writer.field(number, value) }
    mutating func field(_ number: UInt32, _ value: inout Bool) { writer.field(number, value) }
    mutating func field(_ number: UInt32, _ value: inout String) { writer.field(number, value) }
    mutating func field(_ number: UInt32, _ value: inout [UInt8]) { writer.field(number, value) }
    mutating func field(_ number: UInt32, _ value: inout some RawRepresentable<UInt8>) {
        writer.field(number, UInt64(value.rawValue))
    }
    mutating func message(_ number: UInt32, _ value: inout some CanonicalCodable) { writer.message(number, value) }
    mutating func message<Message: CanonicalCodable>(_ number: UInt32, _ value: inout Message?) {
        if let value { writer.message(number, value) }
    }
    mutating func list(_ number: UInt32, _ values: inout [some CanonicalCodable], max: Int) {
        for value in values { writer.message(number, value) }
    }
    mutating func runs(_ number: UInt32, _ ids: inout [UInt64], max: Int) {
        var start = 0
        while start < ids.count {
            var end = start + 1
            while end < ids.count, ids[end] == ids[end - 1] &+ 1, ids[end] != 0 { end += 1 }
            writer.message(number) { run in
                run.field(1, ids[start])
                run.field(2, UInt64(end - start - 1))
            }
            start = end
        }
    }
}

private struct RowReader: RowCoder {
    var fields: MessageCursor

    private mutating func read<Value>(
        _ number: UInt32, _ value: inout Value, _ body: (inout CanonicalCursor, RawSpan) throws(CanonicalError) -> Value
    ) throws(CanonicalError) {
        guard fields.next == number else { return }
        try fields.take { (cursor, bytes) throws(CanonicalError) in value = try body(&cursor, bytes) }
    }

    mutating func field(_ number: UInt32, _ value: inout UInt64) throws(CanonicalError) {
        try read(number, &value) { (cursor, bytes) throws(CanonicalError) in try cursor.uint(bytes) }
    }
    mutating func field(_ number: UInt32, _ value: inout UInt32) throws(CanonicalError) {
        try read(number, &value) { (cursor, bytes) throws(CanonicalError) in try cursor.uint32(bytes) }
    }
    mutating func field(_ number: UInt32, _ value: inout Int64) throws(CanonicalError) {
        try read(number, &value) { (cursor, bytes) throws(CanonicalError) in try cursor.int(bytes) }
    }
    mutating func field(_ number: UInt32, _ value: inout Bool) throws(CanonicalError) {
        try read(number, &value) { (cursor, bytes) throws(CanonicalError) in try cursor.bool(bytes) }
    }
    mutating func field(_ number: UInt32, _ value: inout String) throws(CanonicalError) {
        try read(number, &value) { (cursor, bytes) throws(CanonicalError) in try cursor.text(bytes) }
    }
    mutating func field(_ number: UInt32, _ value: inout [UInt8]) throws(CanonicalError) {
        try read(number, &value) { (cursor, bytes) throws(CanonicalError) in try cursor.bytes(bytes) }
    }
    mutating func field<Value: RawRepresentable<UInt8>>(_ number: UInt32, _ value: inout Value) throws(CanonicalError) {
        try read(number, &value) { (cursor, bytes) throws(CanonicalError) in
            guard let number = UInt8(exactly: try cursor.uint(bytes)), let value = Value(rawValue: number) else {
                throw cursor.unknown()
            }
            return value
        }
    }
    mutating func message<Message: CanonicalCodable>(_ number: UInt32, _ value: inout Message) throws(CanonicalError) {
        try read(number, &value) { (cursor, bytes) throws(CanonicalError) in try cursor.singleMessage(bytes) }
    }
    mutating func message<Message: CanonicalCodable>(_ number: UInt32, _ value: inout Message?) throws(CanonicalError) {
        try read(number, &value) { (cursor, bytes) throws(CanonicalError) in try cursor.singleMessage(bytes) as Message }
    }
    mutating func list<Message: CanonicalCodable>(
        _ number: UInt32, _ values: inout [Message], max: Int
    ) throws(CanonicalError) {
        while fields.next == number {
            guard values.count < max else { throw fields.cursor.unknown() }
            try fields.take { (cursor, bytes) throws(CanonicalError) in values.append(try cursor.message(bytes)) }
        }
    }
    mutating func runs(_ number: UInt32, _ ids: inout [UInt64], max: Int) throws(CanonicalError) {
        while fields.next == number {
            var reader = RowReader(fields: try fields.enter())
            var run = (id: 0 as UInt64, further: 0 as UInt64)
            try reader.field(1, &run.id)
            try reader.field(2, &run.further)
            _ = try reader.fields.finish()
            // A valid row never has more, and a damaged one must not exhaust memory.
            guard run.further < max, ids.count < max - Int(run.further), run.id <= UInt64.max - run.further,
                ids.last.map({ $0 &+ 1 != run.id || run.id == 0 }) ?? true
            else { throw CanonicalError(.notCanonical, at: fields.cursor.offset) }
            ids.append(contentsOf: run.id...run.id + run.further)
        }
    }
}

/// A message that consists of one number.
struct NumberMessage: RowCoding {
    var value: UInt64 = 0

    mutating func code<Coder: RowCoder>(_ fields: inout Coder) throws(Coder.Failure) { try fields.field(1, &value) }
}

/// A message that consists of bytes.
struct BytesMessage: RowCoding {
    var value: [UInt8] = []

    mutating func code<Coder: RowCoder>(_ fields: inout Coder) throws(Coder.Failure) { try fields.field(1, &value) }
}

/// A message that consists of a list, so that an empty list is distinguished from none.
struct ListMessage<Element: RowCoding>: RowCoding {
    var elements: [Element] = []

    mutating func code<Coder: RowCoder>(_ fields: inout Coder) throws(Coder.Failure) {
        try fields.list(1, &elements, max: .max)
    }
}
