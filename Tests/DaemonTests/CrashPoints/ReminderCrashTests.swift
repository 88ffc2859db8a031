import Glibc
import ProcessTesting
import TestSupport
import Testing
import TodoClient
import Varlink

/// A daemon that is killed at each point of a reminder.
@Suite(.ownThreads, .enabled(if: CrashPlan.isCompiledIn, CrashPlan.reason)) struct ReminderCrashTests {
    static let rounds = Sanitizer.share(of: 10)

    @Test(arguments: StarCrashTests.Place.allCases)
    func `a reminder is delivered at least once under one name and recorded once`(place: StarCrashTests.Place) throws {
        let daemon = try Daemon()
        let script = try ReminderScript(daemon)
        daemon.environment["TODOD_REMIND_PROGRAM"] = script.path
        var keys = Keys(seed: 13)
        for round in 1...Int64(Self.rounds) {
            let item: Value = ["title": .text("Todo \(round)"), "remind": "2020-01-01T09:00"]
            let add: Value = ["todos": ["add": ["items": .list([item])]]]
            let key = keys.next()
            daemon.environment["CRASH_POINT"] = place.rawValue
            try daemon.start()
            _ = try? daemon.connect().dispatch([add], key: key)
            #expect(try daemon.waitForEnd(seconds: 60) == .signal(SIGKILL), "\(place) \(round)")

            daemon.environment["CRASH_POINT"] = nil
            try daemon.start()
            let client = try daemon.connect()
            let again = try client.dispatch([add], key: key)
            #expect(
                again.isDuplicate && again.sequences == [2 * round - 1] && again.ids == [round], "\(place) \(round): \(again)")
            let state = try client.call("org.todod.Store.GetState", ["scope": "todos.items", "minimumSequence": .int(2 * round)])
            #expect(state["state"]?["todos"]?["items"]?.list?.first?["reminded"] == "2020-01-01T09:00", "\(place) \(round)")
            #expect(state["sequence"]?.int == 2 * round)
            let calls = script.calls().filter { $0.first == "\(round)" }
            #expect(calls.count == place.requests && Set(calls.map { $0.last }).count == 1, "\(place) \(round): \(calls)")
            #expect(try daemon.stop() == .exit(0))
        }
        try daemon.start()
        let client = try daemon.connect()
        #expect(Set(script.calls().map { $0.last }).count == Self.rounds)
        #expect(try client.log().map { $0["kind"]?.text } == (1...Self.rounds).flatMap { _ in ["action", "end"] })
        #expect(try client.status()["outbox"]?["open"]?.int == 0)
    }

    @Test func `a reminder whose attempts were interrupted by crashes is still delivered`() throws {
        let daemon = try Daemon()
        let script = try ReminderScript(daemon)
        daemon.environment = ["TODOD_REMIND_PROGRAM": script.path, "CRASH_POINT": StarCrashTests.Place.beforeTarget.rawValue]
        let item: Value = ["title": "Call Anna", "remind": "2020-01-01T09:00"]
        try daemon.start()
        _ = try? daemon.connect().dispatch([["todos": ["add": ["items": .list([item])]]]])
        #expect(try daemon.waitForEnd(seconds: 60) == .signal(SIGKILL))
        for _ in 1...2 { #expect(try daemon.startRefused() == .signal(SIGKILL)) }

        daemon.environment["CRASH_POINT"] = nil
        try daemon.start()
        let state = try daemon.state("todos.items") { $0["todos"]?["items"]?.list?.first?["reminded"] != nil }
        #expect(state["todos"]?["items"]?.list?.first?["reminded"] == "2020-01-01T09:00")
        #expect(script.calls().map { Array($0.prefix(2)) } == [["1", "Call Anna"]])
        #expect(try daemon.todoctl("alerts").text.contains("reminded of todo 1") == false)
    }
}
