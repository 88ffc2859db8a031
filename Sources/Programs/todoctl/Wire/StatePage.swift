import Chronicle
import TodoAPI

/// One reply of a state that is sent in pages.
typealias StatePage = GetStateMethod.Output

extension StatePage {
    /// The todos of this page.
    var todos: [Value] { state["todos"]?["items"]?.list ?? [] }
}

extension Value {
    /// How many elements the lists in it have, those of records in records included.
    var elementCount: Int {
        switch self {
        case .list(let elements): elements.count
        case .record(let fields): fields.reduce(0) { $0 + $1.value.elementCount }
        default: 0
        }
    }

    /// Puts the elements of the lists of a further page at the end of the lists here, in place.
    mutating func append(page: Value) {
        // `self` lets go of its elements first, so that they are not copied.
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
