import ChronicleValues

extension DescribedFeature {
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

private struct CodingCheck {
    private let actions: any CaseCoding.Type
    private var seen: Set<ObjectIdentifier> = []

    init(actions: any CaseCoding.Type) { self.actions = actions }

    mutating func check(_ type: Any.Type) throws(CodingMistake) {
        guard seen.insert(ObjectIdentifier(type)).inserted else { return }
        switch type {
        case let type as any CaseCoding.Type: try checkCases(of: type)
        case let type as any FieldCoding.Type: try check(Schema(of: type.init()).fields, of: String(reflecting: type))
        case let type as any Wrapping.Type: try check(type.wrapped)
        default: break
        }
    }

    private mutating func checkCases<Choice: CaseCoding>(of type: Choice.Type) throws(CodingMistake) {
        var name: String { String(reflecting: type) }  // Only for mistakes: the names of all types take a quarter of a start.
        var made: [String] = []
        for number in 1...Choice.numberMax {
            guard let instance = Choice.defaultInstance(number) else { continue }
            let schema = Schema(of: instance)
            try check(schema.fields, of: "\(name), case “\(schema.caseName)”")
            guard schema.caseNumber == number, !made.contains(schema.caseName) else {
                let found = "`defaultInstance(\(number))` is case \(schema.caseNumber) “\(schema.caseName)”"
                throw CodingMistake("\(name): \(found): give each case one number and a name of its own, also in `visited`.")
            }
            made.append(schema.caseName)
        }
        guard let count = caseCount(of: Choice.self), count > made.count + Choice.sharingCount else { return }
        let rest = "`defaultInstance` makes \(made.count) of them (\(made.joined(separator: ", ")))"
        throw CodingMistake("\(name) has \(count) cases, and \(rest): add the others, numbered from 1 to \(Choice.numberMax).")
    }

    private mutating func check(_ fields: [SchemaField], of owner: @autoclosure () -> String) throws(CodingMistake) {
        var (last, names) = (0 as UInt32, Set<String>())
        for field in fields {
            if case .whole(let part) = field.kind { return try check(type(of: part)) }
            if let inner = field.type { try check(inner) }
            let reason =
                if field.info.number <= last || !names.insert(field.name).inserted {
                    "another field has this or a higher number, or this name: give it its own, in ascending order"
                } else if field.info.number > 63 {
                    "a number is at most 63: move fields into a type of their own"
                } else if !field.hasCodedDefault {
                    "its default is not the coded default (0, false, empty or none), which is left out and read as the default: change it"
                } else {
                    ""
                }
            last = field.info.number
            guard reason.isEmpty else { throw CodingMistake("\(owner()), field \(last) “\(field.name)”: \(reason).") }
            guard let child = field.child else { continue }
            try child.checkCodings()
            if !holdsActions(of: child, last) {
                throw CodingMistake(
                    "\(actions), case \(last): it must hold the actions of the child “\(field.name)”, which has this number.")
            }
        }
    }

    private func holdsActions<Child: Feature>(of child: Child.Type, _ number: UInt32) -> Bool {
        func part(of actions: (some CaseCoding).Type) -> Any? {
            actions.defaultInstance(number).flatMap { CaseContent(of: $0).part }
        }
        return part(of: actions) is Child.Action
    }
}

extension SchemaField {
    fileprivate var type: Any.Type? {
        switch kind {
        case .plain(let part), .whole(let part): Swift.type(of: part)
        case .rows(let row, _): row
        case .nextID, .child: nil
        }
    }

    /// Whether the initial value is the value that a decoder assumes for a field that was left out.
    fileprivate var hasCodedDefault: Bool {
        switch kind {
        case .plain(let part): info.presence == .needed || part is any CaseCoding || part.isInitial || part.isFreshlyMade
        case .rows(_, let isEmpty): isEmpty
        case .nextID(let next): next == 1
        case .child, .whole: true
        }
    }
}

extension Field {
    fileprivate var isFreshlyMade: Bool {
        guard let fresh = (Self.self as? any FieldCoding.Type)?.init() as? Self else { return false }
        return isSame(as: fresh)
    }
}

/// The number of cases of an enum, from its type descriptor (docs/ABI/TypeMetadata.rst of Swift); `nil` for any other type.
private func caseCount(of type: Any.Type) -> Int? {
    let metadata = unsafeBitCast(type, to: UnsafePointer<UInt>.self)
    guard metadata[0] == 0x201, let descriptor = UnsafePointer<UInt32>(bitPattern: metadata[1]) else { return nil }
    return Int(descriptor[5] & 0xFF_FFFF) + Int(descriptor[6])
}
