import Varlink

/// A second implementation of the state: a fold of the log's records that shares no code with the daemon.
struct Model: Equatable {
    struct Todo: Equatable {
        var id: Int64
        var title: String
        var note = ""
        var tags: [String] = []
        var priority: Int64 = 0
        var due: String?
        var wait: String?
        var after: [Int64] = []
        var every = ""
        var remind: String?
        var reminded: String?
        var origin: Value?
        var created: Int64 = 0
        var completed: Int64?

        init?(_ json: Value) {
            guard let id = json["id"]?.int, let title = json["title"]?.text else { return nil }
            self.id = id
            self.title = title
            created = json["created"]?.int ?? 0
            completed = json["completed"]?.int
            change(json)
        }

        mutating func change(_ json: Value) {
            if let title = json["title"]?.text { self.title = title }
            if let note = json["note"]?.text { self.note = note }
            if let tags = json["tags"]?.list { self.tags = tags.compactMap(\.text) }
            if let priority = json["priority"]?.int { self.priority = priority }
            if let due = json["due"]?.text { self.due = due.isEmpty ? nil : due }
            if let wait = json["wait"]?.text { self.wait = wait.isEmpty ? nil : wait }
            if let origin = json["origin"] { self.origin = origin == [:] ? nil : origin }
            if let after = json["after"]?.list { self.after = after.compactMap(\.int) }
            if let every = json["every"]?.text { self.every = every }
            if let remind = json["remind"]?.text { self.remind = remind.isEmpty ? nil : remind }
            if let reminded = json["reminded"]?.text { self.reminded = reminded.isEmpty ? nil : reminded }
        }
    }

    struct NotUnderstood: Error { var record: Value }

    var order: [Int64] = []
    var todos: [Int64: Todo] = [:]
    var draft = ""
    var nextID: Int64 = 1
    var count: Int64 = 0

    init() {}

    /// The state that the daemon reports.
    init(state: Value) throws {
        for json in state.todos {
            guard let todo = Todo(json) else { throw NotUnderstood(record: json) }
            order.append(todo.id)
            todos[todo.id] = todo
        }
        guard let draft = state["todos"]?["draft"]?.text, let nextID = state["todos"]?["nextID"]?.int,
            let count = state["counter"]?["count"]?.int
        else { throw NotUnderstood(record: state) }
        self.draft = draft
        self.nextID = nextID
        self.count = count
    }

    /// The fold of a log.
    init(log: [Value]) throws {
        for record in log { try apply(record) }
    }

    mutating func apply(_ record: Value) throws {
        guard record["kind"] == "action" else { return }
        guard let action = record["action"]?.record?.first, let what = action.value.record?.first else {
            throw NotUnderstood(record: record)
        }
        let payload = what.value
        let id = payload["id"]?.int ?? 0
        switch (action.name, what.name) {
        case ("counter", "increment"): count += 1
        case ("counter", "decrement"): count -= 1
        case ("counter", "reset"): count = 0
        case ("todos", "updateText"): draft = payload["text"]?.text ?? ""
        case ("todos", "add"):
            let added = (payload["items"]?.list ?? []).compactMap(Todo.init)
            for todo in added {
                todos[todo.id] = todo
                nextID = max(nextID, todo.id + 1)
            }
            order.insert(contentsOf: added.map(\.id), at: 0)
        case ("todos", "edit"): todos[id]?.change(payload)
        case ("todos", "complete"):
            todos[id]?.completed = payload["completed"]?.int
            todos[id]?.every = ""
        case ("todos", "reopen"): todos[id]?.completed = nil
        case ("todos", "remove"): remove([id])
        case ("todos", "clearCompleted"): remove(Set((payload["ids"]?.list ?? []).compactMap(\.int)))
        case ("todos", "move"):
            order.removeAll { $0 == id }
            order.insert(id, at: Int(payload["index"]?.int ?? 0))
        default: throw NotUnderstood(record: record)
        }
    }

    private mutating func remove(_ ids: Set<Int64>) {
        order.removeAll { ids.contains($0) }
        for id in ids { todos[id] = nil }
    }
}
