import Foundation
import ProcessTesting
import TestSupport
import Testing
import TodoClient
import Varlink

/// Round trips of ten thousand random todos through real programs lose nothing that both sides support.
@Suite(.ownThreads) struct RealProgramTests {
    static let task = Products.tool("task")
    private static let count = 10_000

    private static func hasPackage(_ name: String) -> Bool {
        let library = Products.repository + "/.build/venv/lib"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: library)) ?? []
        return versions.contains { FileManager.default.fileExists(atPath: "\(library)/\($0)/site-packages/\(name)") }
    }

    static let libraries = ["icalendar", "pytodotxt"].allSatisfy(hasPackage)

    /// Todos as flat JSON with values that are hard to encode.
    private static func todos(hasNotes: Bool) -> String {
        var random = SeededGenerator(99)
        let words = ["milk", "Été", "“so”", "a,b", "c;d", "\"q\"", "back\\slash", "{}", "日本語", "1.2", "x=y", "🧑‍🧑‍🧒", "[x]"]
        let tags = ["work", "work.tax", "été", "project:Home.Garden", "a-b", "日本"]
        let lines = ["one", "two, three; four", "a \"quote\" \\ and \\n", String(repeating: "長い ", count: 50) + "end"]
        func some(_ texts: [String], atMost most: Int) -> [String] {
            (0..<Int.random(in: 0...most, using: &random)).map { _ in texts.randomElement(using: &random) ?? "" }
        }
        func date() -> String {
            let day = "2027-\(Int.random(in: 10...12, using: &random))-\(Int.random(in: 10...28, using: &random))"
            guard Bool.random(using: &random) else { return day }
            // No hour that daylight saving time skips or repeats.
            return "\(day)T\(Int.random(in: 10...23, using: &random)):\(Int.random(in: 10...59, using: &random))"
        }
        func time() -> String {
            let (day, hour) = (Int.random(in: 10...28, using: &random), Int.random(in: 10...23, using: &random))
            return "2025-\(Int.random(in: 10...12, using: &random))-\(day)T\(hour):30:\(Int.random(in: 10...59, using: &random))Z"
        }
        let todos = (1...count).map { index -> Value in
            let title = (["Buy \(index)"] + some(words, atMost: 6)).joined(separator: " ")
            var fields: [Value.Field] = [
                .init("id", .text("t\(index)")), .init("title", .text(title)),
                .init("tags", .list(Set(some(tags, atMost: 4)).sorted().map { .text($0) })),
                .init("priority", .int(Int64.random(in: 0...3, using: &random))), .init("created", .text(time())),
            ]
            if hasNotes { fields.append(.init("note", .text(some(lines, atMost: 3).joined(separator: "\n")))) }
            if Bool.random(using: &random) { fields.append(.init("due", .text(date()))) }
            if Bool.random(using: &random) { fields.append(.init("wait", .text(date()))) }
            if Bool.random(using: &random) { fields.append(.init("completed", .text(time()))) }
            return .record(fields)
        }
        return Value.list(todos).description
    }

    /// Exports random todos, converts the file with a program, and imports the result into the same list.
    private func expectUnchanged(
        _ format: String, hasNotes: Bool = true,
        _ program: (_ source: String, _ target: String, _ directory: String) throws -> Void
    ) throws {
        let daemon = try Daemon.started()
        let zone = ["TZ": "Europe/Berlin"]
        let (source, target) = (daemon.directory.path + "/source", daemon.directory.path + "/target")
        let random = try daemon.directory.write(Self.todos(hasNotes: hasNotes), to: "random.json")
        let added = try daemon.todoctl("import", "--format", "json", random, "--json", environment: zone, seconds: 600)
        #expect(added.text.hasPrefix(#"{"added":\#(Self.count),"changed":0"#), "\(added)")
        let sequence = try daemon.connect().sequence()
        let exported = try daemon.todoctl("export", "--format", format, source, environment: zone, seconds: 600)
        #expect(exported.end == .exit(0), "\(exported)")
        try program(source, target, daemon.directory.path)
        let again = try daemon.todoctl("import", "--format", format, target, "--dry-run", environment: zone, seconds: 600)
        #expect(again.lines.first?.hasSuffix("would be: 10,000 unchanged.") == true, "\(again)")
        let imported = try daemon.todoctl("import", "--format", format, target, environment: zone, seconds: 600)
        #expect(imported.end == .exit(0) && imported.lines.count == 1, "\(imported)")
        #expect(try daemon.connect().sequence() == sequence)
    }

    @Test(.enabled(if: task != nil, "Taskwarrior is not installed: apt-get install taskwarrior"))
    func `Taskwarrior loses nothing`() throws {
        let task = try #require(Self.task)
        try expectUnchanged("taskwarrior") { source, target, directory in
            try FileManager.default.createDirectory(atPath: directory + "/tasks", withIntermediateDirectories: true)
            let settings = [
                "rc:/dev/null", "rc.data.location=\(directory)/tasks", "rc.confirmation=off", "rc.hooks=off", "rc.gc=off",
                "rc.verbose=nothing", "rc.json.array=on",
            ]
            let home = ["HOME": directory]
            let taken = try Command.run([task] + settings + ["import", source], environment: home, seconds: 600)
            #expect(taken.end == .exit(0), "\(taken)")
            let given = try Command.run([task] + settings + ["export"], environment: home, seconds: 600)
            #expect(given.end == .exit(0), "\(given.error)")
            try Data(given.output).write(to: URL(fileURLWithPath: target))
        }
    }

    @Test(
        .enabled(if: libraries, "icalendar and pytodotxt are not installed: run make setup-test"),
        arguments: ["todotxt", "ics"])
    func `the libraries of PyPI lose nothing`(format: String) throws {
        try expectUnchanged(format, hasNotes: format == "ics") { source, target, _ in
            let script = Products.repository + "/Tests/DaemonTests/python/formats.py"
            let made = try Command.run([ConformanceTests.python, script, format, source, target], seconds: 600)
            #expect(made.end == .exit(0) && made.lines == ["\(Self.count)"], "\(made)")
        }
    }
}
