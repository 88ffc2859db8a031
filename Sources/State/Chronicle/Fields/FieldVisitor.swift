public import ChronicleValues

/// Visits the fields of a value in ascending order of their numbers, and may change them.
///
/// A type names its fields once, for all visitors: those that write and read its canonical bytes and its form by name, and those that
/// describe, compare, undo and restore it.
public protocol FieldVisitor {
    /// The error that a visitor may throw; `Never` for visitors that only read.
    associatedtype Failure: Error = Never

    /// Whether it may change the fields. If not, content that is stored apart need not be stored again.
    static var changesFields: Bool { get }

    /// Names the case that the following fields belong to. Its number and its name are never given to another case.
    mutating func choose(_ number: UInt32, _ name: String)
    mutating func field<Part: Field>(_ field: FieldInfo, _ part: inout Part) throws(Failure)

    /// A former name of the next field, which must not be used again: it is read under both names, and written under its own; expressions
    /// accept both.
    mutating func renamed(from name: String)

    /// Marks the field that is visited next as filled in by the daemon, so that a form for people need not ask for it.
    mutating func filledIn()

    /// A field of older versions: it is read, and never written.
    ///
    /// This is how one field becomes two, or gets another form: the closure turns the old value into the new fields. It is visited in the
    /// order of the numbers, before the fields that it becomes, which must not be required. The number and the name must not be used again.
    /// - Parameter adopt: takes over a value that was read and is not initial.
    mutating func former<Part: Field>(
        _ number: UInt32, _ name: String, _ type: Part.Type, _ adopt: (Part) -> Void
    ) throws(Failure)

    /// A list of rows with ids, in an order of their own.
    mutating func rows<Row: TableRow>(_ field: FieldInfo, _ table: inout OrderedTable<Row>) throws(Failure)

    /// The id of the next row of the table that was visited last, above every id in use so far; stored as the highest id in use.
    mutating func nextID(_ field: FieldInfo, _ next: inout UInt64) throws(Failure)

    /// The state of a child feature in that of its parent.
    mutating func child<Child: Feature>(_ field: FieldInfo, _: Child.Type, _ state: inout Child.State) throws(Failure)

    /// A case that consists of one other value: the action of a child, or a whole message.
    mutating func whole<Part: Field & CanonicalCodable>(_ field: FieldInfo, _ part: inout Part) throws(Failure)
}

/// The number and the name of a field, and the rules that it follows.
public struct FieldInfo: Sendable {
    public let number: UInt32
    public let name: String
    public let presence: FieldPresence
    /// How a change of a field that is not a list of rows is undone.
    public let undo: UndoRule

    @inlinable init(_ number: UInt32, _ name: String, _ presence: FieldPresence = .shown, undo: UndoRule = .unlessChanged) {
        (self.number, self.name, self.presence, self.undo) = (number, name, presence, undo)
    }

    /// The field by name; `nil` if it is left out.
    func shown(_ part: some Field) -> Value.Field? {
        presence == .optional && part.isInitial ? nil : Value.Field(name, part.value)
    }
}

/// When a field may be missing; in canonical bytes an initial value is always left out.
public enum FieldPresence: Sendable {
    /// By name it may be missing, and is left out in its initial value.
    case optional
    /// By name it may be missing when it is read, and is always written.
    case shown
    /// By name it must be there.
    case required
    /// It must be there by name and in canonical bytes: it never has its initial value.
    case needed
}

/// How a change of a field is undone.
public enum UndoRule: Sendable {
    /// Reverted; a conflict if another change came after it.
    case unlessChanged
    /// Reverted if unchanged since. Never a conflict.
    case ifUntouched
    /// Kept as it is: a machine writes it. Never a conflict.
    case never
    /// An exact JSON number that later changes are kept of: the difference is reverted. A conflict only if the result is not exact.
    case byDifference
}

/// The methods that `visit` calls.
extension FieldVisitor {
    @inlinable @inline(__always) public mutating func field<Part: Field>(
        _ number: UInt32, _ name: String, _ part: inout Part, _ presence: FieldPresence = .optional,
        undone undo: UndoRule = .unlessChanged
    ) throws(Failure) { try field(FieldInfo(number, name, presence, undo: undo), &part) }

    @inlinable @inline(__always) public mutating func rows<Row: TableRow>(
        _ number: UInt32, _ name: String, _ table: inout OrderedTable<Row>
    ) throws(Failure) { try rows(FieldInfo(number, name), &table) }

    @inlinable @inline(__always)
    public mutating func nextID(_ number: UInt32, _ name: String, _ next: inout UInt64) throws(Failure) {
        try nextID(FieldInfo(number, name), &next)
    }

    @inlinable @inline(__always) public mutating func child<Child: Feature>(
        _ number: UInt32, _ name: String, _ feature: Child.Type, _ state: inout Child.State
    ) throws(Failure) { try child(FieldInfo(number, name), feature, &state) }

    @inlinable @inline(__always) public mutating func whole<Part: Field & CanonicalCodable>(
        _ number: UInt32, _ name: String, _ part: inout Part
    ) throws(Failure) { try whole(FieldInfo(number, name), &part) }
}

/// Defaults: a visitor ignores most calls.
extension FieldVisitor {
    @inlinable public static var changesFields: Bool { true }
    @inlinable public mutating func choose(_ number: UInt32, _ name: String) {}
    @inlinable public mutating func field<Part: Field>(_ field: FieldInfo, _ part: inout Part) {}
    @inlinable public mutating func renamed(from name: String) {}
    @inlinable public mutating func filledIn() {}

    @inlinable
    public mutating func former<Part: Field>(_ number: UInt32, _ name: String, _ type: Part.Type, _ adopt: (Part) -> Void) {}
    @inlinable public mutating func rows<Row: TableRow>(_ field: FieldInfo, _ table: inout OrderedTable<Row>) {}

    @inlinable
    public mutating func nextID(_ field: FieldInfo, _ next: inout UInt64) throws(Failure) { try self.field(field, &next) }

    @inlinable
    public mutating func child<Child: Feature>(_ field: FieldInfo, _: Child.Type, _ state: inout Child.State) throws(Failure) {
        try self.field(field, &state)
    }
    @inlinable public mutating func whole<Part: Field & CanonicalCodable>(_ field: FieldInfo, _ part: inout Part) {}
}
