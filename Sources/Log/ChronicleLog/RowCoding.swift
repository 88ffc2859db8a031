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
    mutating func field<Value: RawRepresentable<UInt8>>(_ number: UInt32, _ value: inout Value) throws(Failure)
    /// A message that is always written.
    mutating func message<Message: CanonicalCodable>(_ number: UInt32, _ value: inout Message) throws(Failure)
    mutating func message<Message: CanonicalCodable>(_ number: UInt32, _ value: inout Message?) throws(Failure)
    mutating func list<Message: CanonicalCodable>(_ number: UInt32, _ values: inout [Message], max: Int) throws(Failure)
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
            var fields = try RowReader(pointer, cursor)
            try code(&fields)
            return try fields.finish()
        }
    }
}

private struct RowWriter: RowCoder {
    var writer: CanonicalWriter

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
}

private struct RowReader: RowCoder {
    // Valid during the closure in which this reader is used.
    private let pointer: UnsafeRawBufferPointer
    private var cursor: CanonicalCursor
    // The number of the field at the cursor; 0 at the end.
    private var next: UInt32

    init(_ pointer: UnsafeRawBufferPointer, _ cursor: CanonicalCursor) throws(CanonicalError) {
        (self.pointer, self.cursor) = (pointer, cursor)
        next = try self.cursor.nextField(in: RawSpan(_unsafeBytes: pointer)) ?? 0
    }

    /// The cursor after the last field; a field that no coder took is an error.
    func finish() throws(CanonicalError) -> CanonicalCursor {
        guard next == 0 else { throw cursor.isRepeated ? CanonicalError(.outOfOrder(next), at: cursor.offset) : cursor.unknown() }
        return cursor
    }

    private mutating func read<Value>(
        _ number: UInt32, _ value: inout Value, _ body: (inout CanonicalCursor, RawSpan) throws(CanonicalError) -> Value
    ) throws(CanonicalError) {
        guard next == number else { return }
        let bytes = RawSpan(_unsafeBytes: pointer)
        value = try body(&cursor, bytes)
        next = try cursor.nextField(in: bytes) ?? 0
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
            guard let value = UInt8(exactly: try cursor.uint(bytes)).flatMap(Value.init(rawValue:)) else {
                throw CanonicalError(.notCanonical, at: cursor.offset)
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
        while next == number {
            guard values.count < max else { throw cursor.unknown() }
            var element: Message?
            try read(number, &element) { (cursor, bytes) throws(CanonicalError) in try cursor.message(bytes) as Message }
            if let element { values.append(element) }
        }
    }
}
