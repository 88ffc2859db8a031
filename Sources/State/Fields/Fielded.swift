public import ActionCoding
public import Reducing

/// A type that names its fields once, in `visit`; all that depends on them follows from that.
///
/// A number, once given, is never given to another field: it stands in logs.
public protocol Fielded: FieldMessage {
    /// Makes the value whose fields are all as they begin.
    init()
}

extension Fielded {
    /// Reads what `encode` wrote.
    @inlinable
    public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        self.init()
        try read(bytes, &cursor)
    }

    /// By name, as the presence of each field says.
    public var value: Value { values().value }

    /// Reads fields by name.
    @inlinable
    public init(_ value: Value) throws(ValueMismatch) {
        self.init()
        var reader = FieldReader(value)
        try visit(&reader)
        try reader.end()
        if let fault { throw fault }
    }

    /// Its fields by name.
    public static var shape: Shape {
        var fields = FieldShapes()
        var sample = Self()
        sample.visit(&fields)
        return .record(fields.fields)
    }
}

/// A choice of one of several cases, each with its fields: `visit` tells the visitor which it is, and shows it these.
public protocol Cased: FieldMessage {
    /// One of each case, its fields as they begin, by their numbers from 1; `nil` for a number that no case has.
    static var blanks: [Self?] { get }
    /// What there is none of, in the sentence for an unknown name: "action".
    static var noun: String { get }
}

extension Cased {
    /// Most cases are those of actions.
    public static var noun: String { "action" }

    /// Compares the canonical bytes, so texts by their bytes.
    public static func == (left: Self, right: Self) -> Bool { left.canonicalBytes == right.canonicalBytes }

    /// Reads what `encode` wrote.
    @inlinable
    public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        guard let number = try cursor.nextField(in: bytes) else { throw CanonicalError(.missingField(1), at: cursor.offset) }
        let blanks = Self.blanks
        guard number <= blanks.count, let blank = blanks[Int(number) - 1] else { throw cursor.unknown() }
        var inner = try cursor.enterSingle(bytes)
        guard cursor.isAtEnd else { throw CanonicalError(.trailingBytes, at: cursor.offset) }
        self = blank
        try read(bytes, &inner)
    }

    /// One field, the case, with its fields by name.
    public var value: Value { values().choice }

    /// Reads one field, the case.
    public init(_ value: Value) throws(ValueMismatch) {
        let choice = try RecordReader.choice(value)
        do throws(ValueMismatch) {
            guard var chosen = Self.blanks.lazy.compactMap(\.self).first(where: { $0.caseName.hasSameBytes(as: choice.name) })
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

    /// The name of the case.
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
            blanks.lazy.compactMap(\.self).filter(isMeant).map { blank in
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
