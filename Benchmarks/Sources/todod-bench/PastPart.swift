import CLoad
import Foundation
import TodoAPI

/// The memory that queries of the past take with a large state, and whether long queries delay short ones.
struct PastPart {
    let setup: Setup

    func run() throws(BenchmarkError) -> Findings {
        var findings = Findings()
        try besideSearches(&findings)
        try largeState(&findings)
        return findings
    }

    // MARK: - Short questions beside long ones

    /// Sixteen nested checks, as many as one uid may have, and the short questions of a person beside them.
    ///
    /// All are of the uid that runs the benchmarks: the two lanes keep them apart as they do two uids.
    private func besideSearches(_ findings: inout Findings) throws(BenchmarkError) {
        Progress.say("  short questions beside 16 nested checks")
        let data = try setup.folder.make("past-questions")
        defer { setup.folder.remove(data) }
        var daemon = try Daemon(setup, data: data)
        var list = TodoList()
        try list.add(10_000, to: daemon.socket)
        try list.live(setup.sizes.pastRecords, on: daemon.socket)
        let last = try daemon.client().sequence()
        // Each would take hours: loops in loops over all todos.
        let nested = #"any(a in todos.items: any(b in todos.items: any(c in todos.items: a.title == b.note and c.id < 0)))"#
        var searchers: [Client] = []
        for _ in 0..<16 {
            let searcher = try daemon.client()
            try searcher.send(ScanMethod.self, .init(question: .violations, expression: nested, from: Point(back: 0)))
            searchers.append(searcher)
        }
        usleep(500_000)
        let client = try daemon.client()
        var times = Latencies()
        func ask<M: Method>(_ method: M.Type, _ input: M.Input) throws(BenchmarkError) {
            let start = cload_now()
            try client.call(method, input)
            times.add([cload_now() - start])
        }
        for round in 0..<UInt64(setup.sizes.pastQuestions) {
            try ask(ViewMethod.self, .init(feature: "counter", at: Point(back: 1 + round % 50)))
            try ask(GetStateMethod.self, .init(scope: "todos.draft", at: Point(sequence: last - round % 500)))
            try ask(UndoMethod.self, .init(dryRun: true))
        }
        findings.add("a short question beside 16 checks, p50, ms", times.percentile(50) / 1000, "ms")
        findings.add("a short question beside 16 checks, p99, ms", times.percentile(99) / 1000, .atMost(200))
        withExtendedLifetime(searchers) {}
        searchers = []
        // A cancelled query ends within a slice; a new daemon runs none.
        try daemon.stop()
        daemon = try Daemon(setup, data: data)
        try every(daemon, last, &findings)
        try daemon.stop()
    }

    /// A condition on every todo, through all records.
    private func every(_ daemon: Daemon, _ last: UInt64, _ findings: inout Findings) throws(BenchmarkError) {
        let client = try daemon.client()
        let never = #"any(t in todos.items: t.title == 'no such title')"#
        let bisect = cload_now()
        try client.last(ScanMethod.self, .init(question: .first, expression: never, method: .linear))
        findings.add("bisect of every title, \(last) records, ms", Double(cload_now() - bisect) / 1e6, .atMost(5000))
        let check = cload_now()
        try client.last(ScanMethod.self, .init(question: .violations, expression: "not " + never))
        findings.add("check of every title, \(last) records, ms", Double(cload_now() - check) / 1e6, .atMost(5000))
    }

    // MARK: - A large state

    private func largeState(_ findings: inout Findings) throws(BenchmarkError) {
        let data = try setup.folder.make("past-memory")
        defer { setup.folder.remove(data) }
        var daemon = try Daemon(setup, data: data)
        let todos = setup.sizes.pastTodos
        try fill(daemon, todos)
        // A snapshot is left at the stop, and the memory of filling goes with the process.
        try daemon.stop()
        daemon = try Daemon(setup, data: data)
        let edits = setup.sizes.pastEdits
        var texts = ActionTexts()
        for index in 1...edits { texts.append(ActionTexts.edit(1 + index * 61 % todos, title: "Buy \(index) bottles")) }
        _ = try Load(pipelined: 4, calls: edits).run(texts, on: daemon.socket, latenciesMax: 0)
        let client = try daemon.client()
        let last = try client.sequence()
        usleep(1_000_000)
        let present = try daemon.memory("RssAnon")
        findings.add("anonymous, \(todos) todos of 1 KB", present, "MB")

        let counter = try peak(of: daemon) { () throws(BenchmarkError) in
            try client.call(DiffMethod.self, .init(from: Point(sequence: 0), to: .now, path: "counter"))
        }
        let title = try peak(of: daemon) { () throws(BenchmarkError) in
            try client.call(DiffMethod.self, .init(from: Point(sequence: 0), to: .now, path: "todos.items[9].title"))
        }
        let undo = try peak(of: daemon) { () throws(BenchmarkError) in
            try client.call(UndoMethod.self, .init(count: min(edits, 1000), dryRun: true))
        }
        var steps: [Double] = []
        let replay = try peak(of: daemon) { () throws(BenchmarkError) in
            for sequence in last - UInt64(min(edits, 100))...last - 1 {
                let start = cload_now()
                try client.call(GetStateMethod.self, .init(scope: "todos.draft", at: Point(sequence: sequence)))
                steps.append(Double(cload_now() - start) / 1e6)
            }
        }
        // Another state beside the present one, with what it takes to read it, is what the past may cost.
        let bound = 1.5 * present + 50
        findings.add("peak above it of diff counter, MB", counter - present, .atMost(bound))
        findings.add("peak above it of diff todos.items[9].title, MB", title - present, .atMost(bound))
        findings.add("peak above it of undo --count \(min(edits, 1000)), MB", undo - present, .atMost(bound))
        findings.add("peak above it of \(steps.count) steps of replay, MB", replay - present, .atMost(bound))
        findings.add("a step of replay, median, ms", Figure.median(steps), .atMost(20))
        findings.add("anonymous, afterwards, MB", try daemon.memory("RssAnon"), "MB")
        try daemon.stop()
    }

    private func fill(_ daemon: Daemon, _ todos: Int) throws(BenchmarkError) {
        let note = String(repeating: "n", count: 1_000)
        var next = 1
        while next <= todos {
            var texts = ActionTexts()
            var calls = 0
            while next <= todos, calls < 20 {
                let count = min(100, todos - next + 1)
                let items = (next..<next + count).map { #"{"title":"Buy the milk, bottle \#($0)","note":"\#(note)"}"# }
                texts.append(#"{"todos":{"add":{"items":[\#(items.joined(separator: ","))]}}}"#)
                next += count
                calls += 1
            }
            _ = try Load(pipelined: 2, calls: calls).run(texts, on: daemon.socket, latenciesMax: 0)
        }
    }

    /// The peak of the daemon's anonymous memory while the body runs, in megabytes, including file pages loaded by then.
    private func peak(of daemon: Daemon, _ body: () throws(BenchmarkError) -> Void) throws(BenchmarkError) -> Double {
        // Sets the high-water mark back; proc(5).
        guard (try? "5".write(toFile: "/proc/\(daemon.process)/clear_refs", atomically: false, encoding: .utf8)) != nil else {
            throw BenchmarkError("cannot write /proc/\(daemon.process)/clear_refs")
        }
        let files = try daemon.memory("VmRSS") - daemon.memory("RssAnon")
        try body()
        return try daemon.memory("VmHWM") - files
    }
}
