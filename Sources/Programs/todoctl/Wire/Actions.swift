import Chronicle
import Dates

/// Actions in their wire format.
enum FeatureAction {
    /// `{"posts": {"add": {"id": 3}}}`.
    static func make(_ feature: String, _ name: String, _ payload: Value = [:]) -> Value {
        .record([.init(feature, .record([.init(name, payload)]))])
    }

    /// Features that a path may start with even if the daemon does not list them.
    static let known: Set<String> = [
        "todos", "counter", "alerts", "posts", "star", "stars", "repos", "repositories", "flow", "flows", "views",
    ]

    /// Translates a verb's name to the feature or scope: `star` to `stars`.
    static func scope(of word: String) -> String {
        let verbs = ["star": "stars", "repos": "repositories", "flow": "flows"]
        let feature = word.prefix { $0 != "." }
        return (verbs[String(feature)] ?? String(feature)) + word.dropFirst(feature.count)
    }
}

/// The actions of the verbs in their wire format.
enum TodoAction {
    static func add(_ draft: TodoDraft) -> Value { add(items: [.record(draft.fields)]) }
    static func add(items: [Value]) -> Value { todos("add", ["items": .list(items)]) }
    static func edit(_ id: Int64, _ draft: TodoDraft) -> Value { todos("edit", .record([.init("id", .int(id))] + draft.fields)) }
    /// - Parameters:
    ///   - day: the user's day, from which recurrence counts; default: the day in UTC.
    ///   - time: microseconds since 1970; default: now.
    static func complete(_ id: Int64, on day: Day? = nil, at time: Int64? = nil) -> Value {
        var fields = [Value.Field("id", .int(id))]
        if let time { fields.append(.init("completed", .int(time))) }
        if let day { fields.append(.init("day", .text(day.text))) }
        return todos("complete", .record(fields))
    }
    static func reopen(_ id: Int64) -> Value { todos("reopen", ["id": .int(id)]) }
    static func remove(_ id: Int64) -> Value { todos("remove", ["id": .int(id)]) }
    static func move(_ id: Int64, to index: Int) -> Value { todos("move", ["id": .int(id), "index": .int(Int64(index))]) }
    static func clearCompleted() -> Value { todos("clearCompleted", [:]) }
    static func updateText(_ text: String) -> Value { todos("updateText", ["text": .text(text)]) }
    static func submit() -> Value { todos("submit", [:]) }

    static func counter(_ name: String) -> Value { ["counter": .record([.init(name, [:])])] }

    private static func todos(_ name: String, _ payload: Value) -> Value { ["todos": .record([.init(name, payload)])] }
}

enum DispatchKey {
    /// 32 hex digits: the time in microseconds, then 8 random bytes.
    ///
    /// The time is first, so that the daemon's key table grows at its end.
    static func make(time: Int64 = Clock.now(), random: UInt64 = .random(in: 0 ... .max)) -> String {
        Hexadecimal.text(UInt64(bitPattern: time)) + Hexadecimal.text(random)
    }
}
