import Chronicle
import ChronicleStore
import Expressions
import FeatureApp
import FeatureCounter
import FeatureTodos
import TestSupport
import Testing
import TimeTravel

@Suite struct DiffTests {
    @Test func `a patch turns one state into the other, in both directions`() async throws {
        for seed in 0..<30 as Range<UInt64> {
            let sample = try SampleLog.random(seed, records: 30)
            let history = sample.history()
            var dice = SeededGenerator(~seed)
            for _ in 0..<6 {
                let (from, to) = (
                    UInt64.random(in: 0...sample.head, using: &dice), UInt64.random(in: 0...sample.head, using: &dice)
                )
                let differences = try await history.diff(.sequence(from), .sequence(to))
                var document = sample.states[Int(from)].value
                for operation in PatchOperation.operations(of: differences.changes) { try document.apply(operation) }
                #expect(document == sample.states[Int(to)].value.canonicallyOrdered(like: document), "\(seed): \(from) to \(to)")
                #expect(differences.changes.isEmpty == (sample.states[Int(from)] == sample.states[Int(to)]))
            }
        }
    }

    @Test func `a path selects a part of a state`() async throws {
        var sample = SampleLog()
        try sample.dispatch([.todos(.add([.init(title: "Milk"), .init(title: "Bread")]))])
        try sample.dispatch([.todos(.edit(2, .init(title: "Cake", note: "big"))), .counter(.increment)])
        try sample.dispatch([.todos(.edit(1, .init(note: "skimmed"))), .todos(.move(2, to: 0))])
        let history = sample.history()
        func paths(_ from: UInt64, _ path: String) async throws -> [String] {
            try await history.diff(.sequence(from), .now, at: Path(path)).changes.map { "\($0.path) \($0.kind) \($0.id ?? 0)" }
        }
        #expect(try await paths(1, "counter") == [" set 0"].map { "counter" + $0 })
        #expect(try await paths(1, "counter.count") == ["counter set 0"])
        #expect(try await paths(1, "todos.items[2].title") == ["todos.items replace 2"])
        let title = try await history.diff(.sequence(1), .now, at: Path("todos.items[2].title"))
        #expect(title.changes.map(\.new) == [["id": 2, "title": "Cake"]])
        #expect(PatchOperation.operations(of: title.changes).map(\.path) == ["/todos/items/0/title"])
        #expect(try await paths(1, "todos.items[1].title") == [])
        #expect(try await paths(1, "todos.items[2]") == ["todos.items move 2", "todos.items replace 2"])
        #expect(try await paths(1, "todos.items[@0].note") == ["todos.items replace 2"])
        #expect(try await paths(1, "todos.items") == ["todos.items move 2", "todos.items replace 1", "todos.items replace 2"])
        #expect(try await paths(0, "todos.nextID") == ["todos set 0"])
        #expect(try await paths(0, "todos.items[1].title") == ["todos.items insert 1"])
        #expect(try await paths(0, "todos.items[3]") == [])
        #expect(try await paths(1, "nowhere") == [])
    }

    @Test func `a path is read in both states if there are too many changes in total`() async throws {
        var sample = SampleLog()
        try sample.dispatch([.todos(.add([.init(title: "Bread"), .init(title: "Cake")])), .todos(.updateText("old"))])
        try sample.dispatch([.todos(.add(Array(repeating: .init(title: "Milk"), count: 2_000)))])
        try sample.dispatch([
            .todos(.edit(1, .init(note: "fresh"))), .todos(.remove(2)), .todos(.updateText("new")), .counter(.increment),
        ])
        let history = sample.history()
        func changes(_ from: UInt64, _ path: String) async throws -> [Change] {
            try await history.diff(.sequence(from), .now, at: Path(path), limit: 10).changes
        }
        let draft = Change(path: "todos", kind: .set, old: ["draft": "old"], new: ["draft": "new"])
        #expect(try await changes(2, "todos.draft") == [draft])
        #expect(try await changes(2, "counter").map(\.new) == [["count": 1]])
        let kinds: [(String, UInt64, [Change.Kind])] = [
            ("todos.items[1]", 2, [.replace]), ("todos.items[1].note", 2, [.replace]), ("todos.items[1].title", 2, []),
            ("todos.items[2]", 2, [.remove]), ("todos.items[900]", 2, [.insert]), ("todos.items[900].title", 0, [.insert]),
            ("todos.items[2]", 0, []), ("todos.items[@-1].note", 2, [.replace]), ("todos.items[9999]", 0, []),
            ("todos.loading", 0, []), ("posts", 0, []), ("stars.items['apple/swift']", 0, []),
        ]
        for (path, from, kinds) in kinds { #expect(try await changes(from, path).map(\.kind) == kinds, "\(path)") }
        #expect(try await changes(2, "todos.items[1].note").first?.new == ["id": 1, "note": "fresh"])
        #expect(try await changes(2, "todos.items[900]").first?.at == sample.state.todos.items.index(of: 900))
        await #expect(throws: StoreError.answerTooLarge) { try await changes(2, "todos.items") }
        await #expect(throws: StoreError.answerTooLarge) { try await changes(2, "todos") }
    }

    @Test func `too many changes are an error`() async throws {
        var sample = SampleLog()
        for _ in 0..<10 { try sample.dispatch([.todos(.add([.init(title: "Milk")]))]) }
        let history = sample.history()
        await #expect(throws: StoreError.answerTooLarge) { try await history.diff(.start, .now, limit: 10) }
        #expect(try await history.diff(.start, .now, limit: 11).changes.count == 11)
        await #expect(throws: StoreError.answerTooLarge) {
            try await history.diff(.start, .now, at: Path("todos.items"), limit: 9)
        }
    }

    @Test func `operations have the names of JSON Patch`() {
        #expect(
            PatchOperation(.move, "/a/1", from: "/a/0").value == ["op": "move", "path": "/a/1", "from": "/a/0"])
        #expect(PatchOperation(.add, "/a/b", new: .null).value == ["op": "add", "path": "/a/b", "value": .null])
        let change = Change(path: "stars", kind: .set, new: ["apple/swift~x": 3])
        #expect(PatchOperation.operations(of: [change]) == [PatchOperation(.add, "/stars/apple~1swift~0x", new: 3)])
        let gone = Change(path: "stars", kind: .set, old: ["apple": 3])
        #expect(PatchOperation.operations(of: [gone]) == [PatchOperation(.remove, "/stars/apple")])
    }
}

struct PatchFailure: Error {
    var operation: PatchOperation
}

extension Value {
    /// RFC 6902, as far as these tests need it.
    mutating func apply(_ operation: PatchOperation) throws {
        var moved: Value?
        if operation.kind == .move {
            moved = try change(Self.names(operation.from ?? "")[...], nil, operation)
        }
        switch operation.kind {
        case .remove: _ = try change(Self.names(operation.path)[...], nil, operation)
        case .replace:
            _ = try change(Self.names(operation.path)[...], nil, operation)
            _ = try change(Self.names(operation.path)[...], operation.new, operation)
        case .add: _ = try change(Self.names(operation.path)[...], operation.new, operation)
        case .move: _ = try change(Self.names(operation.path)[...], moved, operation)
        }
    }

    /// Inserts or removes a value at a path.
    @discardableResult
    private mutating func change(
        _ names: ArraySlice<String>, _ value: Value?, _ operation: PatchOperation
    ) throws -> Value? {
        guard let name = names.first else { throw PatchFailure(operation: operation) }
        let isLast = names.count == 1
        switch self {
        case .record(var fields):
            let index = fields.firstIndex { $0.name == name }
            if isLast {
                let old = index.map { fields.remove(at: $0).value }
                if let value { fields.append(Field(name, value)) }
                if value == nil, old == nil { throw PatchFailure(operation: operation) }
                self = .record(fields)
                return old
            }
            guard let index else { throw PatchFailure(operation: operation) }
            let old = try fields[index].value.change(names.dropFirst(), value, operation)
            self = .record(fields)
            return old
        case .list(var elements):
            guard let index = Int(name), index >= 0, index < elements.count + (isLast && value != nil ? 1 : 0) else {
                throw PatchFailure(operation: operation)
            }
            var old: Value?
            if !isLast {
                old = try elements[index].change(names.dropFirst(), value, operation)
            } else if let value {
                elements.insert(value, at: index)
            } else {
                old = elements.remove(at: index)
            }
            self = .list(elements)
            return old
        default: throw PatchFailure(operation: operation)
        }
    }

    private static func names(_ pointer: String) -> [String] {
        pointer.split(separator: "/").map { String($0).replacing("~1", with: "/").replacing("~0", with: "~") }
    }

    /// The same value with its fields in the order of another, because Value objects are unordered.
    func canonicallyOrdered(like other: Value) -> Value {
        switch (self, other) {
        case (.record(let fields), .record(let others)):
            let known = others.compactMap { other in
                fields.first { $0.name == other.name }.map { Field($0.name, $0.value.canonicallyOrdered(like: other.value)) }
            }
            return .record(known + fields.filter { field in !others.contains { $0.name == field.name } })
        case (.list(let elements), .list(let others)) where elements.count == others.count:
            return .list(zip(elements, others).map { $0.canonicallyOrdered(like: $1) })
        default: return self
        }
    }
}
