import Glibc
import ProcessTesting
import TestSupport
import Testing
import TodoClient
import Varlink

/// A recurring todo whose daemon is killed when it is completed either has a next one, or is still open without one.
@Suite(.ownThreads, .enabled(if: CrashPlan.isCompiledIn, CrashPlan.reason)) struct RecurringCrashTests {
    static let rounds = Sanitizer.share(of: 10)

    @Test(arguments: DispatchCrashTests.Place.allCases)
    func `the next recurring todo exists exactly once, whenever the daemon is killed`(place: DispatchCrashTests.Place) throws {
        let daemon = try Daemon()
        var keys = Keys(seed: 12)
        try daemon.start()
        let item: Value = ["title": "Water the plants", "due": "2026-11-20", "every": "every day"]
        try daemon.connect().dispatch([["todos": ["add": ["items": [item]]]]])
        try daemon.stop()
        for round in 1...Int64(Self.rounds) {
            // Each round leaves the completed todo and below it the next one.
            daemon.environment["CRASH_POINT"] = place.rawValue
            try daemon.start()
            let client = try daemon.connect()
            let key = keys.next()
            let actions = [Actions.complete(round)]
            #expect(throws: VarlinkClientError.closed) { try client.dispatch(actions, key: key) }
            #expect(try daemon.waitForEnd(seconds: 60) == .signal(SIGKILL), "\(place) \(round)")

            daemon.environment["CRASH_POINT"] = nil
            try daemon.start()
            let after = try daemon.connect()
            let isLogged = place == .afterCommit
            #expect(try counts(after) == (isLogged ? [round, 1] : [round - 1, 1]), "\(place) \(round)")
            for isDuplicate in [isLogged, true] {
                let again = try after.dispatch(actions, key: key)
                #expect(again.isDuplicate == isDuplicate && again.ids == [round + 1], "\(place) \(round): \(again)")
                #expect(try counts(after) == [round, 1])
            }
            #expect(try after.dispatch(actions, key: keys.next()).sequences == [])
            #expect(try Model(log: after.log()) == Model(state: after.state()))
            try daemon.kill()
        }
    }

    /// The number of completed todos, and of open recurring ones.
    private func counts(_ client: Client) throws -> [Int64] {
        let items = try client.state("todos.items")["todos"]?["items"]?.list ?? []
        let done = items.filter { $0["completed"] != nil }
        let coming = items.filter { $0["completed"] == nil && $0["every"] == "every day" }
        #expect(done.count + coming.count == items.count)
        return [Int64(done.count), Int64(coming.count)]
    }
}
