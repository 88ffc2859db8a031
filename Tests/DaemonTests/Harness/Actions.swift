import Varlink

/// Actions as they are written on the wire.
enum Actions {
    static let increment: JSON = ["counter": ["increment": [:]]]
    static let submit: JSON = ["todos": ["submit": [:]]]

    static func add(_ titles: String...) -> JSON {
        ["todos": ["add": ["items": .array(titles.map { ["title": .string($0)] })]]]
    }

    static func edit(_ id: Int64, title: String) -> JSON { ["todos": ["edit": ["id": .int(id), "title": .string(title)]]] }
    static func complete(_ id: Int64) -> JSON { ["todos": ["complete": ["id": .int(id)]]] }
    static func reopen(_ id: Int64) -> JSON { ["todos": ["reopen": ["id": .int(id)]]] }
    static func remove(_ id: Int64) -> JSON { ["todos": ["remove": ["id": .int(id)]]] }
    static func move(_ id: Int64, to index: Int64) -> JSON { ["todos": ["move": ["id": .int(id), "index": .int(index)]]] }
    static func text(_ text: String) -> JSON { ["todos": ["updateText": ["text": .string(text)]]] }
}
