import Values

/// The columns of an element, where a tree is at it.
protocol ColumnSource {
    /// What stands in one.
    func operand(_ column: Int) -> Operand
    /// What can be gone over in it.
    func members(_ column: Int) -> ColumnMembers
}

/// What can be gone over in a field.
enum ColumnMembers {
    case none
    case texts([String])
    case values([Value])

    init(_ value: Value) {
        switch value {
        case .list(let elements): self = .values(elements)
        case .record(let fields): self = .values(fields.map { $0.value })
        case .null, .bool, .int, .double, .text: self = .none
        }
    }

    var count: Int {
        switch self {
        case .none: 0
        case .texts(let texts): texts.count
        case .values(let values): values.count
        }
    }
}
