import Dates
import TestSupport
import Testing
import TodoFormats

@Suite struct RoundTripTests {
    private static let place = FormatPlace(zone: .berlin)

    @Test(arguments: TodoFormat.allCases) func `ten thousand todos survive a round trip`(format: TodoFormat) throws {
        var random = RandomTodos(format, seed: 12)
        let todos = random.todos(10_000)
        let text = format.write(todos, at: Self.place)
        let reading = try format.read(Array(text.utf8), at: Self.place)
        #expect(reading.leftOut == 0 && reading.todos.count == todos.count)
        #expect(reading.todos.allSatisfy(\.unsaid.isEmpty) && format.loss(of: todos) == FormatLoss())
        for (read, written) in zip(reading.todos, todos) where read.bare != written {
            Issue.record("\(read.bare)\nwas written as\n\(written)")
            break
        }
    }

    @Test(arguments: TodoFormat.allCases) func `todos are equal after writing and reading`(format: TodoFormat) throws {
        var random = RandomTodos(format, seed: 13)
        let first = format.write(random.todos(500), at: Self.place)
        let reading = try format.read(Array(first.utf8), at: Self.place)
        let second = format.write(reading.todos, at: Self.place)
        #expect(second.utf8.elementsEqual(first.utf8))
    }

    @Test(arguments: TodoFormat.allCases) func `changed bytes are refused with their line or read as another value`(
        format: TodoFormat
    ) throws {
        var random = SeededGenerator(14)
        var todos = RandomTodos(format, seed: 14)
        let original = Array(format.write(todos.todos(5), at: Self.place).utf8)
        for _ in 0..<500 {
            var bytes = original
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: index)
                case 2: bytes.removeSubrange(index...)
                default: bytes.insert(UInt8.random(in: 0...255, using: &random), at: index)
                }
                if bytes.isEmpty { bytes = [0x20] }
            }
            do throws(FormatError) {
                let read = try format.read(bytes, at: Self.place)
                let text = format.write(read.todos, at: Self.place)
                #expect(throws: Never.self) { try format.read(Array(text.utf8), at: Self.place) }
            } catch {
                #expect((1...bytes.count { $0 == 0x0A } + 1).contains(error.line), "\(error)")
            }
        }
    }

    @Test(arguments: TodoFormat.allCases) func `an empty file has no todos`(format: TodoFormat) throws {
        for text in ["", "\n", "\u{FEFF}", format.write([], at: Self.place)] {
            #expect(try format.read(Array(text.utf8), at: Self.place).todos.isEmpty)
        }
    }

    @Test(arguments: [TodoFormat.todotxt, .markdown, .csv, .ics]) func `Windows line ends are not part of a title`(
        format: TodoFormat
    ) throws {
        var random = RandomTodos(format, seed: 15)
        let todos = random.todos(50).map { todo in
            var todo = todo
            todo.note = ""
            return todo
        }
        let text = format.write(todos, at: Self.place).replacing("\r\n", with: "\n").replacing("\n", with: "\r\n")
        #expect(try format.read(Array(text.utf8), at: Self.place).todos.map(\.bare) == todos)
    }

    @Test(arguments: TodoFormat.allCases) func `a value that is too large is refused with its line`(format: TodoFormat) {
        let title = String(repeating: "long ", count: 1_000)
        let text = format.write([ForeignTodo(title: "Buy milk"), ForeignTodo(title: title)], at: Self.place)
        do throws(FormatError) {
            _ = try format.read(Array(text.utf8), at: Self.place)
            Issue.record("a title of 5,000 bytes was accepted")
        } catch {
            #expect(error.line > 1 && error.description.contains("at most 4096 are taken"), "\(error)")
        }
    }

    @Test(arguments: [
        ("a.ics", TodoFormat.ics), ("A.CSV", .csv), ("x/todo.txt", .todotxt), ("n.md", .markdown), ("t.json", .json),
    ]) func `the file name extension determines the format`(name: String, format: TodoFormat) {
        #expect(TodoFormat(fileName: name) == format)
        #expect(TodoFormat(fileName: "history.jsonl") == nil && TodoFormat(fileName: "todo") == nil)
        let tasks = Array(#"[{"uuid":"a","description":"b"}]"#.utf8)
        #expect(TodoFormat(fileName: "t.json", content: tasks) == .taskwarrior)
    }

    @Test func `the UUIDs of two todos differ and have version 8`() {
        let names = [(1, 1), (2, 1), (1, 2), (9_007_199_254_740_991, 1_800_000_000_000_000)] as [(Int64, Int64)]
        let texts = names.map { TodoIdentity.uuid(id: $0.0, created: $0.1) }
        #expect(Set(texts).count == names.count)
        #expect(texts[0] == "00000000-0000-8001-8000-000000000001")
        #expect(texts.allSatisfy { $0.utf8.count == 36 && Array($0)[14] == "8" && Array($0)[19] <= "b" })
    }
}
