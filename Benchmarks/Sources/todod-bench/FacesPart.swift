import CLoad
import Foundation
import TodoAPI

/// What a person waits for at the screen and at the page: on a log of a million records, and typing in a long list.
struct FacesPart {
    let setup: Setup

    func run() throws(BenchmarkError) -> Findings {
        var findings = Findings()
        let sizes = setup.sizes
        let data = try setup.folder.make("faces")
        defer { setup.folder.remove(data) }
        // Who measures the page changes the first todos, whose ids are known.
        let history = PastLog(setup: setup, todos: sizes.facesTodos, actions: sizes.facesLog, batch: 1, removal: .newest)
        findings.add("history over \(history.todos) todos", try history.fill(data), "actions/s")

        let daemon = try Daemon(setup, data: data)
        try jump(daemon, &findings)
        Progress.say("  the screen in the past")
        try travel(daemon, &findings)
        try daemon.stop()
        Progress.say("  typing")
        try type(&findings)
        Progress.say("  the page")
        do throws(BenchmarkError) { try PageFigures.measure(data, setup, &findings) } catch {
            // What was found of the screen is told all the same.
            Progress.say("  the page can't be measured: \(error.message)")
            findings.add("the page's first paint, ms", .nan, .atMost(1000))
        }
        return findings
    }

    /// What the daemon needs until it shows a moment that nobody asked for yet: the first reply, and the first with todos.
    private func jump(_ daemon: Daemon, _ findings: inout Findings) throws(BenchmarkError) {
        let records = try daemon.client().sequence()
        var (firsts, wholes): ([Double], [Double]) = ([], [])
        for _ in 0..<setup.sizes.facesJumps {
            let client = try daemon.client()
            let start = cload_now()
            try client.send(GetStateMethod.self, .init(at: Point(sequence: .random(in: 1...records))))
            try client.skip()
            firsts.append(Double(cload_now() - start) / 1e6)
            try client.skip()
            wholes.append(Double(cload_now() - start) / 1e6)
        }
        findings.add("the daemon's first reply of a moment, median, ms", Figure.median(firsts), .atMost(40))
        findings.add("the daemon's first reply of a moment, slowest of \(firsts.count), ms", firsts.max() ?? .nan, .atMost(70))
        findings.add("its first todos, median", Figure.median(wholes), "ms")
        findings.add("its first todos, slowest of \(wholes.count)", wholes.max() ?? .nan, "ms")
    }

    // MARK: - The screen

    /// Jumps to moments all over the log, and the same key held down among them.
    private func travel(_ daemon: Daemon, _ findings: inout Findings) throws(BenchmarkError) {
        let records = try daemon.client().sequence()
        let screen = try PaintedScreen(setup, socket: daemon.socket)
        var jumps: [Double] = []
        for _ in 0..<setup.sizes.facesJumps {
            let moment = UInt64.random(in: 1..<records)
            _ = try screen.press("g\(moment)")
            jumps.append(try screen.press("\r") { _ in screen.moment == moment })
            try screen.settle()
        }
        findings.add("a jump of the screen, median", Figure.median(jumps), "ms")
        findings.add("a jump of the screen, slowest of \(jumps.count), ms", jumps.max() ?? .nan, .atMost(100))
        for (name, key) in [("right", "\u{1B}OC"), ("left", "\u{1B}OD")] {
            let seconds = setup.sizes.heldSeconds
            // A little faster than a keyboard repeats.
            let moments = try screen.hold(key, every: 25_000_000, for: seconds * 1_000_000_000)
            findings.add("states a second with \(name) held", Double(moments.count) / Double(seconds), .atLeast(20))
            try screen.settle()
        }
        findings.add("the screen, anonymous", try screen.memory("RssAnon"), "MB")
        findings.add("the screen, resident at most", try screen.memory("VmHWM"), "MB")
    }

    /// Each key of a new todo and of a filter, in a list that is long.
    private func type(_ findings: inout Findings) throws(BenchmarkError) {
        let data = try setup.folder.make("typing")
        defer { setup.folder.remove(data) }
        let daemon = try Daemon(setup, data: data)
        let todos = setup.sizes.typedTodos
        var list = TodoList()
        try list.add(todos, to: daemon.socket)
        let screen = try PaintedScreen(setup, socket: daemon.socket)
        for (name, begin, words) in [
            ("a new todo", "a", "Call the bank friday 14:30 #work !high"), ("a filter", "/", "milk bottle \(todos / 2)"),
        ] {
            _ = try screen.press(begin)
            var answers: [PaintedScreen.Answer] = []
            for key in words { answers.append(try screen.press(String(key))) }
            let times = answers.map(\.milliseconds)
            findings.add("a key of \(name), \(todos) todos, median", Figure.median(times), "ms")
            findings.add("a key of \(name), \(todos) todos, slowest of \(times.count), ms", times.max() ?? .nan, .atMost(30))
            findings.add(
                "bytes that a key of \(name) sends, at most", Double(answers.map(\.bytes).max() ?? 0), .atMost(2047))
            _ = try screen.press("\u{1B}")
            try screen.settle()
        }
        findings.add("the screen over \(todos) todos, anonymous", try screen.memory("RssAnon"), "MB")
        try daemon.stop()
    }
}
