import Chronicle
import ChronicleLog
import ChronicleStore
import DiskLog
import Expressions
import FeatureApp
import FeatureCounter
import FeatureTodos
import TestSupport
import Testing

@testable import TimeTravel

@Suite struct BlameTests {
    static let paths = [
        "counter.count", "counter", "todos.items[1].title", "todos.items[2]", "todos.items[2].tags", "todos.items[2].tags[@0]",
        "todos.items[3].completed", "todos.items[@0].title", "todos.items", "todos", "todos.draft", "todos.nextID",
        "missing.deeper",
    ]

    @Test func `blame agrees with a linear walk through a thousand histories`() async throws {
        let queries = QueryThread()
        var found = 0
        for seed in 0..<1_000 as Range<UInt64> {
            let sample = try SampleLog.random(seed, records: 24)
            let history = sample.history(queries: queries)
            var dice = SeededGenerator(~seed)
            let path = try Path(Self.paths.randomElement(using: &dice) ?? "")
            let end = UInt64.random(in: 0...sample.head, using: &dice)
            // A position means the todo that is there at the end.
            let place = try sample.resolved(path, at: end)
            var expected: [UInt64] = []
            for sequence in stride(from: 1, through: end, by: 1)
            where sample.value(place, at: sequence) != sample.value(place, at: sequence - 1) {
                expected.append(sequence)
            }
            let all = try await history.origins(of: path, at: .sequence(end))
            #expect(all.map(\.sequence) == expected, "\(seed) \(path)")
            let last = try await history.blame(path, at: .sequence(end))
            #expect(last?.sequence == expected.last)
            if last != nil { found += 1 }
            // The values of whole lists and features are not compared.
            if let last, let new = last.new {
                #expect(new == sample.value(place, at: last.sequence))
                #expect(last.old == sample.value(place, at: last.sequence - 1))
            }
        }
        #expect(found > 200)
    }

    @Test func `blame reads backwards from snapshot to snapshot and stops at the origin`() async throws {
        try await withTemporaryDirectory { directory in
            var sample = SampleLog(try LMDBActionLog.open(directory: directory, configuration: .small))
            try sample.dispatch([.todos(.add([.init(title: "Milk")]))])
            for round in 0..<30 {
                try sample.dispatch(Array(repeating: .counter(.increment), count: 10))
                if round == 20 { try sample.dispatch([.todos(.edit(1, .init(title: "Bread")))]) }
                try sample.leaveSnapshot(at: sample.head, in: directory)
            }
            let history = sample.history(directory)
            let steps = Collected<UInt64>()
            let origin = try await history.blame(Path("todos.items[1].title")) { steps.add($0) }
            #expect(origin == LastWriter(sequence: 212, path: try Path("todos.items[1].title"), old: "Milk", new: "Bread"))
            #expect(steps.all.count == 10)
            let both = try await history.origins(of: Path("todos.items[1].title"))
            #expect(both.map(\.sequence) == [1, 212])
            #expect(both.first?.old == nil)
            #expect(try await history.origins(of: Path("counter.count"), max: 3).map(\.sequence) == [300, 301, 302])
            #expect(try await history.blame(Path("todos.draft")) == nil)
        }
    }

    @Test func `every value below a path has the record that set it`() async throws {
        let queries = QueryThread()
        for seed in 0..<100 as Range<UInt64> {
            try await withTemporaryDirectory { directory in
                let sample = try SampleLog.random(seed, records: 24)
                for sequence in [5, 6, 15] as [UInt64] { try sample.leaveSnapshot(at: sequence, in: directory) }
                let history = sample.history(directory, queries: queries)
                var dice = SeededGenerator(~seed)
                let prefix = try [
                    "todos", "todos.items[2]", "todos.items[@0]", "todos.items[@-1].title", "counter", "todos.items", nil,
                ].randomElement(using: &dice).flatMap {
                    try $0.map { try Path($0) }
                }
                let end = UInt64.random(in: 12...sample.head, using: &dice)
                let states = sample.states.map { leaves(of: $0.value) }
                let place = try prefix.map { try sample.resolved($0, at: end) }
                var expected: [Path: UInt64] = [:]
                for path in states[Int(end)].keys where place?.isPrefix(of: path) ?? true {
                    expected[path] = (1...end).last { states[Int($0)][path] != states[Int($0) - 1][path] }
                }
                let origins = try await history.origins(below: prefix, at: .sequence(end))
                #expect(Dictionary(uniqueKeysWithValues: origins.map { ($0.path, $0.sequence) }) == expected, "\(seed)")
                for origin in origins { #expect(origin.new == states[Int(end)][origin.path]) }
            }
        }
    }

    private func leaves(of value: Value, at path: Path = Path([])) -> [Path: Value] {
        switch value {
        case .record(let fields):
            var all: [Path: Value] = [:]
            for field in fields {
                all.merge(leaves(of: field.value, at: path.appending(.name(field.name)))) { one, _ in one }
            }
            return all
        case .list(let elements) where path.names == ["todos", "items"] && path.steps.count == 2:
            var all: [Path: Value] = [:]
            for element in elements {
                guard case .int(let id)? = element["id"] else { continue }
                all.merge(leaves(of: element, at: path.appending(.id(id)))) { one, _ in one }
            }
            return all
        default: return [path: value]
        }
    }
}
