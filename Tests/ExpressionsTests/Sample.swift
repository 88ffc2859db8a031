import Chronicle
import Expressions
import Synchronization

enum Sample {
    static let state: Value = [
        "counter": ["count": 3],
        "todos": [
            "items": [
                ["id": 12, "title": "Milk", "priority": 2, "tags": ["shop", "home"]],
                ["id": 7, "title": "Bread", "completed": 1000],
                ["id": 9, "title": "Été", "priority": 1],
            ],
            "draft": "", "loading": false, "nextID": 13,
        ],
        "stars": ["apple/swift": ["phase": "star", "starCount": 5], "b\"q": ["phase": "unstar", "starCount": 0]],
        "empty": [],
        "nothing": .null,
    ]

    static func holds(_ text: String) throws -> Bool { try Expression(text).holds(in: ValueReader(state)) }

    static func error(_ text: String) -> ExpressionError? {
        do {
            _ = try Expression(text)
            return nil
        } catch {
            return error
        }
    }
}

/// A list of todos that counts the materialized elements.
struct PagedReader: StateReader {
    final class Counts: Sendable {
        let made = Mutex(0)
    }

    var count: Int
    let counts = Counts()

    init(count: Int) { self.count = count }

    mutating func list(along names: [String]) -> (view: ListView, depth: Int)? {
        guard names.starts(with: ["todos", "items"]) else { return nil }
        let (count, counts) = (count, counts)
        let make = { @Sendable (id: Int) -> Value in
            counts.made.withLock { $0 += 1 }
            return ["id": .int(Int64(id)), "title": .text("todo \(id)")]
        }
        let view = ListView(
            path: "todos.items", count: count, elements: { $0.map(make) },
            find: { id in (0..<Int64(count)).contains(id) ? make(Int(id)) : nil })
        return (view, 2)
    }

    mutating func value(at names: [String]) -> Value? {
        names == ["todos"] ? ["items": []] : nil
    }
}
