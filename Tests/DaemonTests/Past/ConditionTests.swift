import Foundation
import ProcessTesting
import TestSupport
import Testing
import Varlink

@Suite(.ownThreads) struct ConditionTests {
    /// Two todos, one of them renamed twice, and a count that falls once; records 1 to 8.
    private static func diary() throws -> Daemon {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        try client.dispatch([Actions.add("Buy the milk"), Actions.add("Take my dog")])
        try client.dispatch([Actions.increment, Actions.increment])
        try client.dispatch([Actions.edit(1, title: "Buy oat milk")])
        try client.dispatch([["counter": ["decrement": [:]]]])
        try client.dispatch([Actions.complete(1)])
        try client.dispatch([Actions.edit(1, title: "Buy soy milk")])
        return daemon
    }

    private func sequences(_ daemon: Daemon, _ arguments: String...) throws -> [Int] {
        let outcome = try Command.run(
            [Products.todoctl, "log", "--raw"] + arguments,
            environment: ["HOME": daemon.directory.path, "TODOD_SOCKET": daemon.socket])
        #expect(outcome.end == .exit(0), "\(outcome)")
        return outcome.text.split(separator: "\n").compactMap { $0.split(separator: " ").first.flatMap { Int($0) } }
    }

    @Test func `the log lists the records whose changes match a condition or touch a path`() throws {
        let daemon = try Self.diary()
        #expect(try sequences(daemon, "--where", "new.counter.count < old.counter.count") == [6])
        #expect(try sequences(daemon, "--where", "counter.count == 2") == [4, 5])
        #expect(try sequences(daemon, "--where", "record.uid == \(getuid()) and record.action == 'todos.edit'") == [5, 8])
        #expect(try sequences(daemon, "--where", "count(todos.items) > 1 and record.step != record.sequence") == [2, 4])
        #expect(try sequences(daemon, "--path", "todos.items[1].title") == [1, 5, 8])
        #expect(try sequences(daemon, "--path", "todos.items[1].title", "--limit", "2") == [5, 8])
        #expect(try sequences(daemon, "--path", "todos.items[@-1]", "--reverse", "--limit", "3") == [8, 7, 5])
        #expect(try sequences(daemon, "--path", "counter", "--where", "counter.count == 1", "--from", "4") == [6])
        let title = ["--path", "todos.items[1].title"]
        let told = try Command.run(
            [Products.todoctl, "log", "--from", "5", "--limit", "1", "--diff"] + title,
            environment: ["TODOD_SOCKET": daemon.socket]
        ).text
        #expect(told.contains("Buy the milk") && told.contains("Buy oat milk"))
        let misspelt = try daemon.todoctl("log", "--where", "record.user == 3")
        #expect(misspelt.end == .exit(64) && misspelt.error.contains("Column 8: a fact of the record is expected"))
        let state = try daemon.todoctl("check", "--where", "old.counter.count == 3")
        #expect(state.end == .exit(64) && state.error.contains("Column 1: old is a state beside a record"))
        let json = try daemon.todoctl("log", "--where", "record.sequence == 6", "--json").text
        #expect(json.contains(#""sequence":6"#) && !json.contains(#""sequence":7"#))
    }

    @Test func `the path index is written at the stop and used after the next start`() throws {
        let daemon = try Self.diary()
        #expect(try daemon.stop() == .exit(0))
        let travel = daemon.data + "/travel"
        #expect(try FileManager.default.contentsOfDirectory(atPath: travel).contains { $0.hasPrefix("places-") })
        try daemon.start()
        #expect(try sequences(daemon, "--path", "todos.items[1].title") == [1, 5, 8])
        #expect(try sequences(daemon, "--path", "todos.items[1]", "--reverse", "--limit", "3") == [8, 7, 5])
        try daemon.connect().dispatch([Actions.reopen(1)])
        #expect(try sequences(daemon, "--path", "todos.items[1].completed") == [7, 9])
        #expect(try daemon.stop() == .exit(0))
        try FileManager.default.removeItem(atPath: travel)
        try daemon.start()
        #expect(try sequences(daemon, "--path", "todos.items[1].completed") == [7, 9])
        #expect(try daemon.todoctl("blame", "todos.items[1].title").text.contains("8"))
    }

    @Test func `after a compaction a path is searched correctly without a newer path index`() throws {
        let daemon = try Self.diary()
        #expect(try daemon.stop() == .exit(0))
        try daemon.start()
        try daemon.connect().dispatch([Actions.edit(1, title: "Buy rice milk")])
        #expect(try daemon.todoctl("compact", "--before", "3", "--yes").end == .exit(0))
        #expect(try sequences(daemon, "--path", "todos.items[1].title") == [5, 8, 9])
        #expect(try sequences(daemon, "--path", "todos.items[1].title", "--reverse") == [9, 8, 5])
    }

    @Test func `log --follow shows the records that match a condition as they arrive`() throws {
        let daemon = try Self.diary()
        let log = try LiveProgram(
            [Products.todoctl, "log", "--follow", "--where", "counter.count > old.counter.count"],
            environment: ["HOME": daemon.directory.path, "TODOD_SOCKET": daemon.socket])
        #expect(try log.line()?.hasPrefix("3 ") == true)
        #expect(try log.line()?.hasPrefix("4 ") == true)
        let client = try daemon.connect()
        try client.dispatch([Actions.add("Water the plants")])
        try client.dispatch([["counter": ["decrement": [:]]]])
        try client.dispatch([Actions.increment])
        #expect(try log.line()?.hasPrefix("11 ") == true)
    }

    @Test func `a series prints a number after each step, number of records, or day`() throws {
        let daemon = try Self.diary()
        func lines(_ arguments: String...) throws -> [String] {
            let outcome = try Command.run(
                [Products.todoctl, "series"] + arguments,
                environment: ["HOME": daemon.directory.path, "TODOD_SOCKET": daemon.socket, "TZ": "Pacific/Chatham"])
            #expect(outcome.end == .exit(0), "\(outcome)")
            return outcome.text.split(separator: "\n").map(String.init)
        }
        #expect(try lines("counter.count", "--every", "step") == ["2  0", "4  2", "5  2", "6  1", "7  1", "8  1"])
        #expect(try lines("counter.count", "--every", "3") == ["3  1", "6  1", "8  1"])
        #expect(try lines("100 / counter.count", "--every", "1", "--from", "2", "--to", "4") == ["2  -", "3  100", "4  50"])
        let days = try lines("count(todos.items)")
        #expect(days.last?.hasSuffix("  2") == true && days.count <= 2)
        let time = try #require(try daemon.connect().log().last?["time"]?.int)
        let zone = try #require(TimeZone(identifier: "Pacific/Chatham"))
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        let day = calendar.dateComponents([.year, .month, .day], from: Date(timeIntervalSince1970: Double(time) / 1e6))
        #expect(days.last == "\(day.year!)-\(day.month! < 10 ? "0" : "")\(day.month!)-\(day.day! < 10 ? "0" : "")\(day.day!)  2")
        let json = try lines("counter.count", "--every", "4", "--json")
        #expect(json.count == 1 && json[0].contains(#""sequence":4"#) && json[0].contains(#""value":2"#))
        let truth = try daemon.todoctl("series", "counter.count > 3")
        #expect(truth.end == .exit(64) && truth.error.contains("Column 1: a number is expected"))
        #expect(try daemon.todoctl("series", "counter.count", "--every", "0").end == .exit(64))
    }

    @Test(.enabled(if: Terminal.tmux != nil)) func `a series is plotted on a terminal`() throws {
        let daemon = try Self.diary()
        let terminal = try Terminal(daemon.directory.path)
        try terminal.press(
            "LC_ALL=C.UTF-8 TODOD_SOCKET=\(daemon.socket) \(Products.todoctl) series counter.count --every 1", "Enter")
        #expect(try terminal.shows("2 │   ██"))
        #expect(try terminal.shows("0 │▁▁██████"))
    }

    @Test func `watch ends once its condition holds, at once if it already does, and with status 1 after its timeout`() throws {
        let daemon = try Self.diary()
        #expect(try daemon.todoctl("watch", "counter", "--until", "counter.count == 1").end == .exit(0))
        let wrong = try daemon.todoctl("watch", "--until", "counter.cuont == 1")
        #expect(wrong.end == .exit(64) && wrong.text.isEmpty && wrong.error.contains("Column 9"))
        let late = try daemon.todoctl("watch", "counter", "--until", "counter.count == 9", "--timeout", "5")
        #expect(late.end == .exit(1) && late.text.contains("count"))
        #expect(try daemon.todoctl("watch", "--timeout", "3").end == .exit(64))
        // From the beginning of a day, all of its records.
        try daemon.connect().dispatch([Actions.increment, ["counter": ["decrement": [:]]]])
        let day = try daemon.todoctl(
            "watch", "counter", "--from", "today", "--speed", "1000000", "--gap-max", "0", "--until", "counter.count == 1",
            "--json")
        #expect(try Value(parsing: Array((day.lines.first ?? "").utf8))["sequence"]?.int == 0, "\(day)")
        // The newest record does not change the watched scope.
        try daemon.connect().dispatch([Actions.add("Buy the milk")])
        let past = try daemon.todoctl(
            "watch", "counter", "--from", "start", "--gap-max", "0", "--until", "counter.count == 1", "--timeout", "60")
        #expect(past.end == .exit(0) && past.text.contains("count"), "\(past)")
        // The timeout also applies to a replay of the past.
        let start = ContinuousClock.now
        let bounded = try daemon.todoctl(
            "watch", "counter", "--from", "start", "--speed", "0.001", "--gap-max", "60", "--until", "counter.count == 1",
            "--timeout", "0.5")
        #expect(bounded.end == .exit(0) && start.duration(to: .now) < .seconds(40), "\(bounded)")
        for verb in [["watch", "--from"], ["revert", "--yes", "--to"], ["follow", "mail", "--from"]] {
            let outcome = try Command.run(
                [Products.todoctl] + verb + ["tomorrow"],
                environment: ["HOME": daemon.directory.path, "TODOD_SOCKET": daemon.socket], seconds: 60)
            #expect(outcome.end == .exit(1) && outcome.error.contains("log --limit 10"), "\(verb) \(outcome)")
        }

        let elsewhere = try LiveProgram(
            ["/bin/sh", "-c", "'\(Products.todoctl)' watch todos --until 'counter.count > 1' --timeout 3; echo status $?"],
            environment: ["HOME": daemon.directory.path, "TODOD_SOCKET": daemon.socket])
        _ = try elsewhere.line()
        try daemon.connect().dispatch([Actions.increment])
        #expect(try elsewhere.lines(through: "status").last == "status 0")
        _ = try daemon.connect().dispatch([["counter": ["decrement": [:]]]])

        let watch = try LiveProgram(
            [Products.todoctl, "watch", "counter", "--until", "counter.count >= 3", "--timeout", "60"],
            environment: ["HOME": daemon.directory.path, "TODOD_SOCKET": daemon.socket])
        #expect(try watch.lines(through: "count: 1").isEmpty == false)
        let client = try daemon.connect()
        try client.dispatch([Actions.increment])
        #expect(try watch.line()?.contains("counter.count: 1 → 2") == true)
        try client.dispatch([Actions.increment])
        #expect(try watch.line()?.contains("counter.count: 2 → 3") == true)
        #expect(try watch.line() == nil)
    }

    @Test func `a replay without a terminal shows the records that changed a place`() throws {
        let daemon = try Self.diary()
        let lines = try daemon.todoctl("replay", "--path", "todos.items[1].title").text.split(separator: "\n")
        let records = lines.compactMap { $0.split(separator: " ").first.flatMap { Int($0) } }
        #expect(records == [1, 5, 8])
        #expect(try daemon.todoctl("replay", "--path", "todos.items[1].titel").end == .exit(64))
    }

    @Test(.enabled(if: Terminal.tmux != nil)) func `in a replay c and C go to the changes of a place`() throws {
        let daemon = try Self.diary()
        let terminal = try Terminal(daemon.directory.path)
        try terminal.press(
            "LC_ALL=C.UTF-8 TODOD_SOCKET=\(daemon.socket) \(Products.todoctl) replay --step --path todos.items[1].title", "Enter")
        #expect(try terminal.shows("0 of 8"))
        for place in [1, 5, 8] {
            try terminal.press("c")
            #expect(try terminal.shows("\(place) of 8"))
        }
        try terminal.press("C")
        #expect(try terminal.shows("5 of 8"))
        try terminal.press("q")
    }
}
