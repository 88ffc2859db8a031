import Chronicle
import FeatureApp
import Testing

@Suite struct ShapeTests {
    /// Returns a value that has every field of a shape once.
    private static func example(of shape: Shape, named name: String = "") -> Value {
        switch shape {
        case .bool: true
        case .int where name == "nextID": 2
        case .int: 1
        case .text where ["due", "wait", "day", "remind", "reminded", "time"].contains(name): "2026-12-01"
        case .text where name == "phase": "star"
        case .text: "swift"
        case .list(let element): [example(of: element)]
        case .map(let part): ["swift": example(of: part)]
        case .record(let fields): .record(fields.map { Value.Field($0.name, example(of: $0.shape, named: $0.name)) })
        case .any: .null
        }
    }

    /// Returns the first path of a value that its shape doesn't contain.
    private static func stranger(in value: Value, _ shape: Shape, at path: String = "") -> String? {
        switch (value, shape) {
        case (.bool, .bool), (.int, .int), (.text, .text): return nil
        case (.list(let values), .list(let element)):
            return values.lazy.compactMap { stranger(in: $0, element, at: path + "[]") }.first
        case (.record(let fields), _):
            return fields.lazy.compactMap { field in
                guard let part = shape[field.name] else { return path + "." + field.name }
                return stranger(in: field.value, part, at: path + "." + field.name)
            }.first
        default: return path
        }
    }

    @Test func `the times of the features are listed by name`() {
        #expect(App.times.sorted() == ["flows.deadline", "posts.published", "todos.completed", "todos.created"])
    }

    @Test func `a state accepts every field of its shape`() throws {
        let example = Self.example(of: App.shape)
        #expect(try App.State(example).value == example)
    }

    @Test(arguments: 1...20) func `a state has only fields of its shape`(seed: UInt64) {
        var app = RandomApp(seed)
        for _ in 0..<200 {
            app.step()
            let stranger = Self.stranger(in: app.state.value, App.shape)
            #expect(stranger == nil)
        }
    }

    @Test func `clients dispatch every action but the events`() {
        let events = App.actionNames.filter { name in
            let parts = name.split(separator: ".").map(String.init)
            return App.actionShape[parts[0]]?[parts[1]] == nil
        }
        #expect(
            Set(events) == [
                "todos.loaded", "todos.loadFailed", "todos.reminded", "todos.remindFailed", "todos.remindCancelled",
                "counter.shift", "alerts.raise", "alerts.restore", "posts.set", "posts.append", "posts.failed", "posts.restore",
                "stars.starred",
                "stars.unstarred", "stars.failed", "repositories.loaded", "repositories.loadFailed",
                "repositories.languagesLoaded", "repositories.languagesFailed", "repositories.restore", "flows.started",
                "flows.ended", "flows.offered", "flows.restore", "flows.timedOut", "views.restore",
            ])
    }

    @Test(arguments: 1...20) func `every action name is a known name`(seed: UInt64) {
        let names = Set(App.actionNames)
        #expect(names.count == App.actionNames.count && names.isSuperset(of: ["todos.add", "counter.shift", "posts.set"]))
        var app = RandomApp(seed)
        app.note = { action, _ in
            let feature = action.value.record?.first
            #expect(names.contains("\(feature?.name ?? "").\(feature?.value.record?.first?.name ?? "")"), "\(action)")
        }
        for _ in 0..<200 { app.step() }
    }

    @Test(arguments: 1...20) func `the differences between two states are their changes`(seed: UInt64) throws {
        var app = RandomApp(seed)
        for _ in 0..<200 {
            let old = app.state
            for _ in 0..<Int(seed % 3) + 1 { app.step() }
            let difference = try #require(App.difference(from: old, to: app.state))
            #expect(difference.scopes == App.changedScopes(from: old, to: app.state))
            #expect(difference.scopeCount == App.scopes.count)
            let changes = try #require(App.changes(from: old, to: app.state, limit: .max))
            let elements = changes.filter { $0.kind != .move && $0.kind != .set }
            #expect(
                difference.elements.map { "\(App.scopes[$0.list]) \($0.id) \($0.parts)" }
                    == elements.map { "\($0.path) \($0.id ?? 0) \(Self.parts(of: $0))" })
        }
    }

    /// Returns the changed fields of an element as a bitmap by their positions in its shape.
    private static func parts(of change: Change) -> UInt64 {
        let list = change.path.split(separator: ".").reduce(Optional(App.shape)) { shape, name in shape?[String(name)] }
        guard case .list(.record(let fields))? = list else { return 0 }
        return fields.indices.reduce(0) { parts, index in
            let name = fields[index].name
            return change.old?[name] == change.new?[name] ? parts : parts | 1 << UInt64(index)
        }
    }

    @Test func `the decoder of a state has its shape`() {
        let summary = App.summary(of: App.State())
        #expect(Self.stranger(in: summary, App.shape) == nil)
        for list in App.lists(of: App.State()) {
            let shape = list.path.split(separator: ".").reduce(Optional(App.shape)) { shape, name in shape?[String(name)] }
            guard case .list? = shape else {
                Issue.record("\(list.path) is not a list in the shape")
                continue
            }
        }
    }
}
