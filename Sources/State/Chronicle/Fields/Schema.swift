import ChronicleValues

/// The fields of a type, in the order of their numbers: a table that one visit of an initial value makes.
///
/// Everything that depends on the type alone reads this table: shapes, names of scopes, children, checks. A case is described by its
/// number, its name and the fields of an initial value.
struct Schema: FieldVisitor {
    static var changesFields: Bool { false }
    private(set) var fields: [SchemaField] = []
    private(set) var caseNumber: UInt32 = 0
    private(set) var caseName = ""
    // Properties of the next field.
    private var formerNames: [String] = []
    private var isFilledIn = false

    init(of value: some FieldMessage) {
        var copy = value
        copy.visit(&self)
    }

    mutating func choose(_ number: UInt32, _ name: String) { (caseNumber, caseName) = (number, name) }
    mutating func renamed(from name: String) { formerNames.append(name) }
    mutating func filledIn() { isFilledIn = true }

    mutating func former<Part: Field>(_ number: UInt32, _ name: String, _ type: Part.Type, _ adopt: (Part) -> Void) {
        formerNames = []
    }

    mutating func field<Part: Field>(_ field: FieldInfo, _ part: inout Part) { add(field, .plain(part)) }

    mutating func rows<Row: TableRow>(_ field: FieldInfo, _ table: inout OrderedTable<Row>) {
        add(field, .rows(Row.self, isEmpty: table.count == 0))
    }

    mutating func nextID(_ field: FieldInfo, _ next: inout UInt64) {
        filledIn()
        add(field, .nextID(next))
    }

    mutating func child<Child: Feature>(_ field: FieldInfo, _: Child.Type, _ state: inout Child.State) {
        add(field, .child(Child.self))
    }

    mutating func whole<Part: Field & CanonicalCodable>(_ field: FieldInfo, _ part: inout Part) {
        choose(field.number, field.name)
        add(field, .whole(part))
    }

    private mutating func add(_ info: FieldInfo, _ kind: SchemaField.Kind) {
        fields.append(SchemaField(info: info, isFilledIn: isFilledIn, formerNames: formerNames, kind: kind))
        (formerNames, isFilledIn) = ([], false)
    }

    var shape: Shape {
        if let field = fields.first, case .whole = field.kind { return field.shape }
        return .record(
            fields.map { field in
                Shape.Field(
                    field.name, field.shape, isOptional: field.info.presence == .optional, isFilledIn: field.isFilledIn,
                    formerNames: field.formerNames)
            })
    }

    var scopeNames: [String] {
        fields.flatMap { field in [field.name] + (field.child?.scopes ?? []).map { field.name + "." + $0 } }
    }

    /// The next id of each list of rows that has one, by the number of the list.
    var nextIDs: [UInt32: FieldInfo] {
        var (found, list) = ([UInt32: FieldInfo](), nil as UInt32?)
        for field in fields {
            switch field.kind {
            case .rows: list = field.info.number
            case .nextID:
                if let list { found[list] = field.info }
                list = nil
            case .plain, .child, .whole: break
            }
        }
        return found
    }
}

struct SchemaField {
    enum Kind {
        case plain(any Field)
        case rows(any TableRow.Type, isEmpty: Bool)
        case nextID(UInt64)
        case child(any Feature.Type)
        case whole(any Field)
    }

    let info: FieldInfo
    let isFilledIn: Bool
    let formerNames: [String]
    let kind: Kind

    var name: String { info.name }
    var child: (any Feature.Type)? { if case .child(let feature) = kind { feature } else { nil } }

    var shape: Shape {
        switch kind {
        case .plain(let initial), .whole(let initial): type(of: initial).shape
        case .rows(let row, _): .list(row.shape)
        case .nextID: .int
        case .child(let feature): feature.shape
        }
    }

    var isText: Bool {
        guard case .plain(let initial) = kind else { return false }
        return type(of: initial) == String.self || type(of: initial) == [String].self
    }
}

/// Some fields of a row, whose numbers must be below 64.
@usableFromInline struct FieldSelection: Sendable {
    /// Bit i stands for the field with number i.
    @usableFromInline private(set) var bits: UInt64 = 0
    @usableFromInline private(set) var names: [String] = []
    /// Bit i stands for the name at i, if that field is a text or a list of texts.
    private(set) var texts: UInt64 = 0

    /// Selects the fields with these names; all if there are no names.
    @usableFromInline init(_ names: [String]?, of row: (some TableRow).Type) {
        for field in Schema(of: row.init()).fields {
            guard names?.contains(where: { $0.hasSameBytes(as: field.name) }) ?? true else { continue }
            if field.isText { texts |= 1 << UInt64(self.names.count) }
            bits |= 1 << UInt64(field.info.number)
            self.names.append(field.name)
        }
    }
}

/// The schema of a state by name, independent of its content; tells a misspelt path from a path to a missing value.
public indirect enum Shape: Sendable {
    case bool, int, text
    /// Elements of one shape, which are selected by index, or by their field `id` if they have one.
    case list(Shape)
    /// Values of one shape under any names.
    case map(Shape)
    /// Fields with these names and no others; each may be left out.
    case record([Field])
    case any

    public struct Field: Sendable {
        public var name: String
        public var shape: Shape
        /// Whether it may be missing when it is read.
        public var isOptional: Bool
        /// Whether the daemon fills it in, so that forms need not ask for it.
        public var isFilledIn: Bool
        public var formerNames: [String]

        public init(
            _ name: String, _ shape: Shape, isOptional: Bool = false, isFilledIn: Bool = false, formerNames: [String] = []
        ) {
            (self.name, self.shape, self.isOptional, self.isFilledIn) = (name, shape, isOptional, isFilledIn)
            self.formerNames = formerNames
        }
    }

    /// The shape of a field; `nil` if no field has the name.
    public subscript(name: String) -> Shape? {
        switch self {
        case .record(let fields): fields.first { $0.name.hasSameBytes(as: name) }?.shape
        case .map(let shape): shape
        case .any: .any
        case .bool, .int, .text, .list: nil
        }
    }

    /// The present name of a field with a former name; any other name unchanged.
    public func currentName(of name: String) -> String {
        guard case .record(let fields) = self, self[name] == nil else { return name }
        return fields.first { $0.formerNames.contains { $0.hasSameBytes(as: name) } }?.name ?? name
    }
}

extension Shape: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, Shape)...) { self = .record(elements.map { Field($0.0, $0.1) }) }
}
