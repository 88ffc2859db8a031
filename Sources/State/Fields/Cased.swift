public import Reducing
public import Values

/// A choice of one of several cases, each with its fields.
public protocol Cased: FieldMessage {
    /// Tells a visitor which case it is, shows it the fields of that, and gives the case with what the fields are then.
    ///
    /// It takes the value apart and makes it anew: to change it in place would copy it, twice for every action of a replay.
    consuming func visited<Visitor: FieldVisitor>(by visitor: inout Visitor) throws(Visitor.Failure) -> Self
    /// The case of a number from 1, its fields as they begin; `nil` for a number that no case has.
    static func blank(_ number: UInt32) -> Self?
    /// Number of cases that share the number and the blank of another case.
    static var sharingCount: Int { get }
    /// What there is none of, in the sentence for an unknown name: "action".
    static var noun: String { get }
}

extension Cased {
    /// The highest number that a case may have.
    public static var numberMax: UInt32 { 63 }

    /// One of each case, in the order of their numbers.
    static var blanks: some Sequence<Self> { (1...numberMax).lazy.compactMap(blank) }

    /// None: each case has a number of its own.
    public static var sharingCount: Int { 0 }

    /// Most cases are those of actions.
    public static var noun: String { "action" }

    /// Compares the canonical bytes, so texts by their bytes.
    public static func == (left: Self, right: Self) -> Bool { left.canonicalBytes == right.canonicalBytes }

    /// Shows the fields of the case, and takes over what they are then.
    @inlinable
    public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
        self = try visited(by: &visitor)
    }

    /// Writes the fields of the case that differ from their initial value, as a message with its number.
    @inlinable
    public func encode(into writer: inout CanonicalWriter) {
        var encoder = FieldEncoder(writer)
        writer = CanonicalWriter()
        _ = visited(by: &encoder)
        writer = encoder.finish()
    }

    @inlinable
    public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        self = try bytes.withUnsafeBytes { (pointer) throws(CanonicalError) -> Self in
            let bytes = RawSpan(_unsafeBytes: pointer)
            guard let number = try cursor.nextField(in: bytes) else { throw CanonicalError(.missingField(1), at: cursor.offset) }
            guard let blank = Self.blank(number) else { throw cursor.unknown() }
            let inner = try cursor.enterSingle(bytes)
            guard cursor.isAtEnd else { throw CanonicalError(.trailingBytes, at: cursor.offset) }
            var decoder = try FieldDecoder(pointer, inner)
            let read = try (consume blank).visited(by: &decoder)
            let end = try decoder.finish()
            if read.fault != nil { throw CanonicalError(.notCanonical, at: end.offset) }
            return read
        }
    }

    /// One field, the case, with its fields by name.
    public var value: Value { values().choice }

    /// Reads one field, the case.
    public init(_ value: Value) throws(ValueMismatch) {
        let choice = try RecordReader.choice(value)
        do throws(ValueMismatch) {
            guard var chosen = Self.blanks.first(where: { $0.caseName.hasSameBytes(as: choice.name) })
            else {
                throw ValueMismatch("", "there is no such \(Self.noun)")
            }
            var reader = FieldReader(choice.value)
            try chosen.visit(&reader)
            try reader.end()
            if let fault = chosen.fault { throw fault }
            self = chosen
        } catch { throw error.under(choice.name) }
    }

    public var caseName: String {
        var (name, copy) = (CaseName(), self)
        copy.visit(&name)
        return name.chosen
    }

    /// The fields of the case by name.
    public var fields: Value { values().value }

    /// One of several cases by name, each left out but one.
    public static var shape: Shape { shape { _ in true } }

    /// The same, of some cases.
    static func shape(where isMeant: (Self) -> Bool) -> Shape {
        .record(
            blanks.filter(isMeant).map { blank in
                var (fields, copy) = (FieldShapes(), blank)
                copy.visit(&fields)
                return Shape.Field(fields.chosen, fields.whole ?? .record(fields.fields), isOptional: true)
            })
    }
}

/// Asks for the name of a case, and looks at nothing else.
private struct CaseName: FieldVisitor {
    private(set) var chosen = ""

    mutating func choose(_ number: UInt32, _ name: String) { chosen = name }

    mutating func whole<Part: Field & CanonicalCodable>(_ number: UInt32, _ name: String, _ part: inout Part) { chosen = name }
}
