import Varlink

/// Actions in the form of the wire.
enum Actions {
    static let increment: Value = ["counter": ["increment": [:]]]
    static let submit: Value = ["todos": ["submit": [:]]]

    static func add(_ titles: String...) -> Value {
        ["todos": ["add": ["items": .list(titles.map { ["title": .text($0)] })]]]
    }

    static func edit(_ id: Int64, title: String) -> Value { ["todos": ["edit": ["id": .int(id), "title": .text(title)]]] }
    static func complete(_ id: Int64) -> Value { ["todos": ["complete": ["id": .int(id)]]] }
    static func reopen(_ id: Int64) -> Value { ["todos": ["reopen": ["id": .int(id)]]] }
    static func remove(_ id: Int64) -> Value { ["todos": ["remove": ["id": .int(id)]]] }
    static func move(_ id: Int64, to index: Int64) -> Value { ["todos": ["move": ["id": .int(id), "index": .int(index)]]] }
    static func text(_ text: String) -> Value { ["todos": ["updateText": ["text": .text(text)]]] }
}
