import PersistentCollections
public import Reducing
import Values

extension Feature where State: Fielded, Action: Cased {
    /// Checks the types of the state, the actions and the commands, and of all children; takes microseconds.
    public static func checkCodings() throws(CodingMistake) {
        guard scopes.count <= 64 else {
            throw CodingMistake("\(Self.self) has \(scopes.count) scopes, more than 64: move fields into a type of their own.")
        }
        var check = CodingCheck(actions: Action.self)
        for type in [State.self, Action.self, Command.self] as [Any.Type] { try check.check(type) }
    }
}

private protocol Wrapping { static var wrapped: Any.Type { get } }

extension Optional: Wrapping where Wrapped: Field { static var wrapped: Any.Type { Wrapped.self } }

extension Array: Wrapping where Element: Field { static var wrapped: Any.Type { Element.self } }

/// Refuses fields and cases whose values would be decoded as others.
private struct CodingCheck: FieldVisitor {
    typealias Failure = CodingMistake

    static var changesFields: Bool { false }
    private let actions: any Cased.Type
    private var seen: Set<ObjectIdentifier> = []
    // The type and case being visited, the number of the last field, and the names so far.
    private var place: (type: String, number: UInt32, name: String, last: UInt32, names: Set<String>) = ("", 0, "", 0, [])

    init(actions: any Cased.Type) { self.actions = actions }

    mutating func check(_ type: Any.Type) throws(CodingMistake) {
        guard seen.insert(ObjectIdentifier(type)).inserted else { return }
        let outer = place
        place = (String(reflecting: type), 0, "", 0, [])
        switch type {
        case let type as any Cased.Type: try checkCases(of: type)
        case let type as any Fielded.Type:
            var initial: any Fielded = type.init()
            try initial.visit(&self)
        case let type as any Wrapping.Type: try check(type.wrapped)
        default: break
        }
        place = outer
    }

    private mutating func checkCases<Part: Cased>(of type: Part.Type) throws(CodingMistake) {
        let name = place.type
        var made: [String] = []
        for number in 1...Part.numberMax {
            guard let blank = Part.blank(number) else { continue }
            place = (name, 0, "", 0, [])
            _ = try blank.visited(by: &self)
            guard place.number == number, !made.contains(place.name) else {
                let found = "`blank(\(number))` is case \(place.number) “\(place.name)”"
                throw CodingMistake("\(name): \(found): give each case one number and a name of its own, also in `visited`.")
            }
            made.append(place.name)
        }
        guard let count = caseCount(of: Part.self), count > made.count + Part.sharingCount else { return }
        let rest = "`blank` makes \(made.count) of them (\(made.joined(separator: ", ")))"
        throw CodingMistake("\(name) has \(count) cases, and \(rest): add the others, numbered from 1 to \(Part.numberMax).")
    }

    private mutating func note(_ number: UInt32, _ name: String, isDefault: Bool = true) throws(CodingMistake) {
        let reason =
            if number <= place.last || !place.names.insert(name).inserted {
                "another field has this or a higher number, or this name: give it its own, in ascending order"
            } else if number > 63 {
                "a number is at most 63: move fields into a type of their own"
            } else if !isDefault {
                "its default is not the coded default (0, false, empty or none), which is left out and read as the default: change it"
            } else {
                ""
            }
        place.last = number
        let owner = place.name.isEmpty ? place.type : "\(place.type), case “\(place.name)”"
        guard reason.isEmpty else { throw CodingMistake("\(owner), field \(number) “\(name)”: \(reason).") }
    }

    mutating func choose(_ number: UInt32, _ name: String) { (place.number, place.name) = (number, name) }

    mutating func field<Part: Field>(
        _ number: UInt32, _ name: String, _ part: inout Part, _ presence: FieldPresence, undone rule: UndoRule
    ) throws(CodingMistake) {
        try check(Part.self)
        let initial = (Part.self as? any Fielded.Type)?.init() as? Part ?? part
        // A case is always written.
        let isDefault = presence == .needed || part is any Cased || part is any Fielded && part.isSame(as: initial)
        try note(number, name, isDefault: isDefault || part.isInitial)
    }

    mutating func rows<Row: FieldedRow>(
        _ number: UInt32, _ name: String, _ table: inout OrderedTable<Row>, undone rule: RowUndoRule
    ) throws(CodingMistake) {
        try check(Row.self)
        try note(number, name, isDefault: table.count == 0)
    }

    mutating func nextID(_ number: UInt32, _ name: String, _ next: inout UInt64) throws(CodingMistake) {
        try note(number, name, isDefault: next == 1)
    }

    mutating func child<Child: Feature>(
        _ number: UInt32, _ name: String, _ feature: Child.Type, _ state: inout Child.State
    ) throws(CodingMistake) where Child.State: Fielded {
        try note(number, name)
        try Child.checkCodings()
        func content(_ actions: (some Cased).Type) -> Any? { actions.blank(number).flatMap { CaseContent(of: $0).part } }
        guard content(actions) is Child.Action else {
            throw CodingMistake(
                "\(actions), case \(number): it must hold the actions of the child “\(name)”, which has this number.")
        }
    }

    mutating func whole<Part: Field & CanonicalCodable>(
        _ number: UInt32, _ name: String, _ part: inout Part
    ) throws(CodingMistake) {
        choose(number, name)
        try check(Part.self)
    }
}

/// The number of cases of an enum, from its type descriptor (docs/ABI/TypeMetadata.rst of Swift); `nil` for any other type.
private func caseCount(of type: Any.Type) -> Int? {
    let metadata = unsafeBitCast(type, to: UnsafePointer<UInt>.self)
    guard metadata[0] == 0x201, let descriptor = UnsafePointer<UInt32>(bitPattern: metadata[1]) else { return nil }
    return Int(descriptor[5] & 0xFF_FFFF) + Int(descriptor[6])
}
