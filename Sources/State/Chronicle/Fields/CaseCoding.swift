public import ChronicleValues

/// A choice of one of several cases, each with its fields.
public protocol CaseCoding: FieldMessage {
    /// Passes the case and its fields to a visitor, and returns the case with the new fields.
    ///
    /// It consumes the value and rebuilds it: changing it in place would copy it, twice for every action of a replay.
    consuming func visited<Visitor: FieldVisitor>(by visitor: inout Visitor) throws(Visitor.Failure) -> Self
    /// The case with a number from 1, its fields initial; `nil` if no case has the number.
    static func defaultInstance(_ number: UInt32) -> Self?
    /// Number of cases that share the number and the default instance of another case.
    static var sharingCount: Int { get }
    /// The noun in the error for an unknown name: "action".
    static var noun: String { get }
}

extension CaseCoding {
    public static var numberMax: UInt32 { 63 }
    static var defaultInstances: some Sequence<Self> { (1...numberMax).lazy.compactMap(defaultInstance) }
    public static var sharingCount: Int { 0 }
    public static var noun: String { "action" }

    /// Compares the canonical bytes, so texts by their bytes.
    public static func == (left: Self, right: Self) -> Bool { left.canonicalBytes == right.canonicalBytes }
    @inlinable public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
        self = try visited(by: &visitor)
    }

    /// Writes the fields of the case that differ from their initial value, as a message with the number of the case.
    @inlinable public func encode(into writer: inout CanonicalWriter) {
        var encoder = FieldEncoder(writer)
        writer = CanonicalWriter()
        _ = visited(by: &encoder)
        writer = encoder.finish()
    }

    @inlinable public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        self = try bytes.withUnsafeBytes { (pointer) throws(CanonicalError) -> Self in
            let bytes = RawSpan(_unsafeBytes: pointer)
            guard let number = try cursor.nextField(in: bytes) else { throw CanonicalError(.missingField(1), at: cursor.offset) }
            guard let instance = Self.defaultInstance(number) else { throw cursor.unknown() }
            let inner = try cursor.enterSingle(bytes)
            guard cursor.isAtEnd else { throw CanonicalError(.trailingBytes, at: cursor.offset) }
            var decoder = try FieldDecoder(pointer, inner)
            let read = try (consume instance).visited(by: &decoder)
            let end = try decoder.finish()
            if read.fault != nil { throw CanonicalError(.notCanonical, at: end.offset) }
            return read
        }
    }

    /// A record with one field: the case.
    public var value: Value { values().choice }

    public init(_ value: Value) throws(ValueMismatch) {
        let choice = try RecordReader.choice(value)
        do throws(ValueMismatch) {
            guard var chosen = Self.defaultInstances.first(where: { $0.caseName.hasSameBytes(as: choice.name) })
            else { throw ValueMismatch("", "there is no such \(Self.noun)") }
            var reader = FieldReader(choice.value)
            try chosen.visit(&reader)
            try reader.end()
            if let fault = chosen.fault { throw fault }
            self = chosen
        } catch { throw error.under(choice.name) }
    }

    public var caseName: String { CaseContent(of: self).name }
    public var fields: Value { values().value }

    /// A record with one optional field per case.
    public static var shape: Shape { shape { _ in true } }

    /// The same, of some cases, and of some cases of the choices that cases consist of.
    static func shape(where isIncluded: (Self) -> Bool) -> Shape {
        .record(
            defaultInstances.compactMap { instance in
                let content = CaseContent(of: instance)
                func shape<Part: CaseCoding>(of part: Part) -> Shape {
                    Part.shape { instance.holding($0).map(isIncluded) ?? false }
                }
                if let part = content.part as? any CaseCoding {
                    return Shape.Field(content.name, shape(of: part), isOptional: true)
                }
                return isIncluded(instance) ? Shape.Field(content.name, Schema(of: instance).shape, isOptional: true) : nil
            })
    }

    /// The names of all cases; a case that is a choice itself has the names of that, after its own.
    static var names: [String] {
        defaultInstances.flatMap { instance in
            let content = CaseContent(of: instance)
            guard let part = content.part as? any CaseCoding else { return [content.name] }
            return type(of: part).names.map { content.name + "." + $0 }
        }
    }

    /// The same case with another value, if it consists of one value of that type; else `nil`.
    func holding(_ part: Any) -> Self? {
        var holder = CaseHolder(part: part)
        let holding = visited(by: &holder)
        return holder.hasFit ? holding : nil
    }
}

/// A command whose name and arguments follow from its cases.
public protocol CommandCoding: NamedCommand, CaseCoding {
    /// The first part of its names: `todos` in `todos.load`.
    static var feature: String { get }
}

extension CommandCoding {
    public var name: String { Self.feature + "." + caseName }
    public var arguments: Value { fields }
    public func with(arguments: Value) throws(ValueMismatch) -> Self {
        do throws(ValueMismatch) { return try Self(.record([Value.Field(caseName, arguments)])) } catch {
            throw error.path.hasPrefix(caseName + ".")
                ? ValueMismatch(String(error.path.dropFirst(caseName.count + 1)), error.message)
                : ValueMismatch("", error.message)
        }
    }

    public static var noun: String { "command" }
}

/// The number and the name of a case, and the value that it consists of, if it consists of one.
struct CaseContent: FieldVisitor {
    static var changesFields: Bool { false }
    private(set) var number: UInt32 = 0
    private(set) var name = ""
    private(set) var part: Any?

    init(of value: some CaseCoding) { _ = value.visited(by: &self) }
    mutating func choose(_ number: UInt32, _ name: String) { (self.number, self.name) = (number, name) }

    mutating func whole<Part: Field & CanonicalCodable>(_ field: FieldInfo, _ part: inout Part) {
        choose(field.number, field.name)
        self.part = part
    }
}

private struct CaseHolder: FieldVisitor {
    let part: Any
    private(set) var hasFit = false

    mutating func whole<Part: Field & CanonicalCodable>(_ field: FieldInfo, _ part: inout Part) {
        guard let held = self.part as? Part else { return }
        part = held
        hasFit = true
    }
}
