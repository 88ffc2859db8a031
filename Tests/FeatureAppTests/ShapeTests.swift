import FeatureApp
import Fields
import Testing

@Suite struct ShapeTests {
    /// A value in which everything is there that a shape names, once.
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

    /// The first place of a value that its shape does not foresee.
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

    @Test func `a state can have all that its shape names`() throws {
        let example = Self.example(of: App.shape)
        #expect(try App.State(example).value == example)
    }

    @Test(arguments: 1...20) func `a state has nothing that its shape does not name`(seed: UInt64) {
        var app = RandomApp(seed)
        for _ in 0..<200 {
            app.step()
            let stranger = Self.stranger(in: app.state.value, App.shape)
            #expect(stranger == nil)
        }
    }

    @Test(arguments: 1...20) func `a record holds an action of a name that is among those of all`(seed: UInt64) {
        let names = Set(App.actionNames)
        #expect(names.count == App.actionNames.count && names.isSuperset(of: ["todos.add", "counter.shift", "posts.set"]))
        var app = RandomApp(seed)
        app.note = { action, _ in
            let feature = action.value.record?.first
            #expect(names.contains("\(feature?.name ?? "").\(feature?.value.record?.first?.name ?? "")"), "\(action)")
        }
        for _ in 0..<200 { app.step() }
    }

    @Test(arguments: 1...20) func `what differs between two states is what changed between them`(seed: UInt64) throws {
        var app = RandomApp(seed)
        for _ in 0..<200 {
            let old = app.state
            for _ in 0..<Int(seed % 3) + 1 { app.step() }
            let difference = try #require(App.difference(from: old, to: app.state))
            #expect(difference.scopes == App.changedScopes(from: old, to: app.state))
            #expect(difference.bytes.isEmpty == difference.scopes.isEmpty && difference.scopeCount == App.scopes.count)
            let changes = try #require(App.changes(from: old, to: app.state, limit: .max))
            let elements = changes.filter { $0.kind != .move && $0.kind != .set }
            #expect(
                difference.elements.map { "\(App.scopes[$0.list]) \($0.id) \($0.parts)" }
                    == elements.map { "\($0.path) \($0.id ?? 0) \(Self.parts(of: $0))" })
        }
    }

    /// The fields in which an element is another, by their places in its shape.
    private static func parts(of change: Change) -> UInt64 {
        let list = change.path.split(separator: ".").reduce(Optional(App.shape)) { shape, name in shape?[String(name)] }
        guard case .list(.record(let fields))? = list else { return 0 }
        return fields.indices.reduce(0) { parts, index in
            let name = fields[index].name
            return change.old?[name] == change.new?[name] ? parts : parts | 1 << UInt64(index)
        }
    }

    @Test func `what a state is read by has its shape`() {
        let summary = App.summary(of: App.State())
        #expect(Self.stranger(in: summary, App.shape) == nil)
        for list in App.lists(of: App.State()) {
            let shape = list.path.split(separator: ".").reduce(Optional(App.shape)) { shape, name in shape?[String(name)] }
            guard case .list? = shape else {
                Issue.record("\(list.path) is no list in the shape")
                continue
            }
        }
    }
}
