import Reducing

/// An action of a feature, in the form of the wire.
enum FeatureAction {
    /// `{"posts": {"add": {"id": 3}}}`.
    static func make(_ feature: String, _ name: String, _ payload: Value = [:]) -> Value {
        .record([.init(feature, .record([.init(name, payload)]))])
    }

    /// The feature, or scope of it, that a person names as a verb names it: `star` for `stars`.
    static func scope(of word: String) -> String {
        let verbs = ["star": "stars", "repos": "repositories", "flow": "flows"]
        let feature = word.prefix { $0 != "." }
        return (verbs[String(feature)] ?? String(feature)) + word.dropFirst(feature.count)
    }
}

/// The actions that the verbs dispatch, in the form of the wire.
enum TodoAction {
    static func add(_ draft: TodoDraft) -> Value { add(items: [.record(draft.fields)]) }
    static func add(items: [Value]) -> Value { todos("add", ["items": .list(items)]) }
    static func edit(_ id: Int64, _ draft: TodoDraft) -> Value { todos("edit", .record([.init("id", .int(id))] + draft.fields)) }
    static func complete(_ id: Int64) -> Value { todos("complete", ["id": .int(id)]) }
    /// - Parameter time: when it was done, in microseconds since 1970; now, if left out.
    static func complete(_ id: Int64, at time: Int64?) -> Value {
        time.map { todos("complete", ["id": .int(id), "completed": .int($0)]) } ?? complete(id)
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

/// Makes keys that no dispatch ever had.
enum DispatchKey {
    /// 32 hex digits: the time in microseconds, then 8 random bytes.
    ///
    /// The time comes first so that the daemon's table of keys grows at its end.
    static func make(time: Int64 = Clock.now(), random: UInt64 = .random(in: 0 ... .max)) -> String {
        Hexadecimal.text(UInt64(bitPattern: time)) + Hexadecimal.text(random)
    }
}
