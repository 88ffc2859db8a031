import Chronicle
import TodoAPI

/// One page of a state.
typealias StatePage = GetStateMethod.Output

extension StatePage {
    var todos: [Value] { state["todos"]?["items"]?.list ?? [] }
}

extension Value {
    /// The number of elements in its lists, including nested records.
    var elementCount: Int {
        switch self {
        case .list(let elements): elements.count
        case .record(let fields): fields.reduce(0) { $0 + $1.value.elementCount }
        default: 0
        }
    }

    /// Appends the list elements of another page in place.
    mutating func append(page: Value) {
        // `self` releases its elements first, so that they are not copied.
        if case .list(let more) = page, case .list(var elements) = self {
            self = .null
            elements.append(contentsOf: more)
            self = .list(elements)
        } else if case .record(let more) = page, case .record(var fields) = self {
            self = .null
            for field in more {
                if let index = fields.firstIndex(where: { $0.name.hasSameBytes(as: field.name) }) {
                    fields[index].value.append(page: field.value)
                } else {
                    fields.append(field)
                }
            }
            self = .record(fields)
        } else {
            self = page
        }
    }
}
