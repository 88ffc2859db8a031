public import PersistentCollections
public import Reducing
public import Values

/// Is shown each field of a value, in ascending order of their numbers, and may change it.
///
/// A type names its fields once, for all visitors: those that write and read its canonical bytes and its form by name, and those
/// that say what it looks like, what of it changed, and how a change of it is taken back.
public protocol FieldVisitor {
    /// What a visitor may fail with; `Never` for those that only look.
    associatedtype Failure: Error = Never

    /// Whether it may change what it is shown; where it never does, what is stored apart need not be put back.
    static var changesFields: Bool { get }

    /// Which of several cases the fields that follow belong to; its number and its name, which are never given to another.
    mutating func choose(_ number: UInt32, _ name: String)

    mutating func field<Part: Field>(
        _ number: UInt32, _ name: String, _ part: inout Part, _ presence: FieldPresence, undone rule: UndoRule
    ) throws(Failure)

    /// Another name that the field shown next, or the former one, once had: by name it is read under both, and written under its own.
    /// In an expression the old name means the field, too.
    ///
    /// Nobody may use the name again.
    mutating func renamed(from name: String)

    /// Says that the daemon fills in the field shown next by itself, so a form for people need not ask for it.
    mutating func filledIn()

    /// What older versions wrote under a number and a name that are no field any more: it is read where it stands, and never written.
    ///
    /// So one field becomes two, or gets another form: the closure makes of the value what is here. It stands in the order of the numbers,
    /// before the fields that it becomes, which must not be required. Nobody may use the number or the name again.
    ///
    /// - Parameter adopt: takes over a value that was read, and is not initial.
    mutating func former<Part: Field>(
        _ number: UInt32, _ name: String, _ type: Part.Type, _ adopt: (Part) -> Void
    ) throws(Failure)

    /// Elements with ids in an order of their own: what states keep their lists in.
    mutating func rows<Row: FieldedRow>(
        _ number: UInt32, _ name: String, _ table: inout OrderedTable<Row>, undone rule: RowUndoRule
    ) throws(Failure)

    /// The id of the next row of the table shown last, above every id that was ever handed out; kept as the highest of those.
    mutating func nextID(_ number: UInt32, _ name: String, _ next: inout UInt64) throws(Failure)

    /// The state of a feature in that of the feature that it is part of.
    mutating func child<Child: Feature>(
        _ number: UInt32, _ name: String, _ feature: Child.Type, _ state: inout Child.State
    ) throws(Failure) where Child.State: Fielded

    /// A case that is nothing but another value: that of a child, or a whole message.
    mutating func whole<Part: Field & CanonicalCodable>(
        _ number: UInt32, _ name: String, _ part: inout Part
    ) throws(Failure)
}

extension FieldVisitor {
    /// It may.
    @inlinable public static var changesFields: Bool { true }

    /// A field like any other, for visitors that need not know that it is another feature's.
    @inlinable
    public mutating func child<Child: Feature>(
        _ number: UInt32, _ name: String, _ feature: Child.Type, _ state: inout Child.State
    ) throws(Failure) where Child.State: Fielded {
        try field(number, name, &state, .shown)
    }

    /// Nothing, for visitors that look at fields alone.
    @inlinable
    public mutating func choose(_ number: UInt32, _ name: String) {}

    /// Nothing, for visitors that read no names.
    @inlinable
    public mutating func renamed(from name: String) {}

    /// Nothing, for visitors that make no description.
    @inlinable
    public mutating func filledIn() {}

    /// Nothing, for visitors that don't read.
    @inlinable
    public mutating func former<Part: Field>(_ number: UInt32, _ name: String, _ type: Part.Type, _ adopt: (Part) -> Void) {}

    /// Nothing, for visitors that look at rows alone.
    @inlinable
    public mutating func field<Part: Field>(
        _ number: UInt32, _ name: String, _ part: inout Part, _ presence: FieldPresence, undone rule: UndoRule
    ) {}

    /// Nothing, for visitors of values that have no rows.
    @inlinable
    public mutating func rows<Row: FieldedRow>(
        _ number: UInt32, _ name: String, _ table: inout OrderedTable<Row>, undone rule: RowUndoRule
    ) {}

    /// Nothing, for visitors that don't care about ids.
    @inlinable
    public mutating func nextID(_ number: UInt32, _ name: String, _ next: inout UInt64) {}

    /// Nothing, for visitors of states.
    @inlinable
    public mutating func whole<Part: Field & CanonicalCodable>(_ number: UInt32, _ name: String, _ part: inout Part) {}

    /// A field that is taken back like any other.
    @inlinable
    public mutating func field<Part: Field>(
        _ number: UInt32, _ name: String, _ part: inout Part, _ presence: FieldPresence = .optional
    ) throws(Failure) {
        try field(number, name, &part, presence, undone: .unlessChanged)
    }

    /// Rows that are taken back as a whole.
    @inlinable
    public mutating func rows<Row: FieldedRow>(
        _ number: UInt32, _ name: String, _ table: inout OrderedTable<Row>
    ) throws(Failure) {
        try rows(number, name, &table, undone: .asWhole)
    }
}

/// Where a field may be missing.
///
/// In canonical bytes an initial value is always left out.
public enum FieldPresence: Sendable {
    /// By name it may be missing, and is left out in its initial value.
    case optional
    /// By name it may be missing when it is read, and is always shown.
    case shown
    /// By name it is always there.
    case required
    /// It is always there, also in canonical bytes: its initial value is none that it can have.
    case needed
}

/// What becomes of a field of a state when a change of it is taken back.
public enum UndoRule: Sendable {
    /// It gets its old value; that something else has changed it since is a conflict.
    case unlessChanged
    /// It gets its old value if nothing else has changed it since, and is in nobody's way.
    case ifUntouched
}

/// What becomes of a row when a change of it is taken back, and somebody insists although it has changed since.
public enum RowUndoRule: Sendable {
    /// It is as it was before.
    case asWhole
    /// The fields that were changed are as before, and no others.
    case fieldByField
}

/// A value that read-only visitors may visit in place, without a copy, if it says so.
public protocol ReadInPlace: Sendable {
    /// Whether `visit` assigns nothing where `Visitor.changesFields` is `false`; `false` by default.
    ///
    /// Return `true` only if `visit` does nothing but pass stored properties on: an assignment would write into shared memory. With `false`
    /// a read-only visitor gets a copy, which retains everything that the value refers to and takes half of the time of a long scan.
    static var isReadInPlace: Bool { get }
}

extension ReadInPlace {
    /// Each visitor gets a copy.
    @inlinable public static var isReadInPlace: Bool { false }
}

/// A row of a list that a state keeps.
public protocol FieldedRow: Fielded, ReadInPlace, Identifiable where ID == UInt64 {
    /// The rows at a range of places, as values.
    ///
    /// Nobody need write it. It is a requirement so that each type of rows has code of its own for what is done row by row.
    static func values(at places: Range<Int>, of table: OrderedTable<Self>) -> [Value]

    /// Shows the fields of some numbers of the same rows to a reader in their places, stage by stage. Bit i stands for the field of the number i.
    static func show(
        _ bits: UInt64, _ stages: [UInt64], at places: Range<Int>, of table: OrderedTable<Self>, to reader: any ColumnReader)

    /// What changed in a table since an older one; `nil` when that is more than so many changes.
    static func changes(of table: OrderedTable<Self>, from old: OrderedTable<Self>, limit: Int) -> [OrderedChange<Self>]?

    /// Tells of each row that a table stores otherwise than an older one the fields of some numbers, of how it was and how it is; ends, and
    /// gives `false`, where the body does. Bit i stands for the field of the number i.
    static func differences(
        from old: OrderedTable<Self>, to new: OrderedTable<Self>, _ bits: UInt64, _ body: ([Value.Field]?, [Value.Field]?) -> Bool
    ) -> Bool
}

extension FieldedRow {
    /// What changed in a table since an older one.
    @inlinable
    public static func changes(
        of table: OrderedTable<Self>, from old: OrderedTable<Self>, limit: Int
    ) -> [OrderedChange<Self>]? {
        table.changes(from: old, limit: limit)
    }

    /// The rows at a range of places, as values.
    public static func values(at places: Range<Int>, of table: OrderedTable<Self>) -> [Value] {
        var values: [Value] = []
        guard !places.isEmpty else { return values }
        values.reserveCapacity(places.count)
        table.forEach(from: places.lowerBound) { _, row in
            values.append(row.value)
            return values.count < places.count
        }
        return values
    }
}
