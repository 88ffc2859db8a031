import Reducing
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
                if let index = fields.firstIndex(where: { $0.name == field.name }) {
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

/// What a value of a feature is, to those who expect one kind.
extension Value {
    /// The text, `nil` of any other kind.
    var text: String? { if case .text(let text) = self { text } else { nil } }

    /// The number, `nil` of any other kind.
    var int: Int64? { if case .int(let number) = self { number } else { nil } }

    /// The truth value, `nil` of any other kind.
    var bool: Bool? { if case .bool(let flag) = self { flag } else { nil } }

    /// The elements, `nil` of any other kind.
    var list: [Value]? { if case .list(let elements) = self { elements } else { nil } }

    /// The fields, `nil` of any other kind.
    var fields: [Field]? { if case .record(let fields) = self { fields } else { nil } }
}
