import Glibc
import ProcessTesting
import TestSupport
import Testing
import TodoClient
import Varlink

/// Tests that an open question outlives the daemon.
@Suite(.ownThreads, .enabled(if: CrashPlan.isCompiledIn, CrashPlan.reason)) struct FlowCrashTests {
    static let rounds = Sanitizer.share(of: 20)

    @Test func `a waiting flow is still listed after a crash and is answered once`() throws {
        let daemon = try Daemon()
        var random = SeededGenerator(19)
        var keys = Keys(seed: 19)
        try daemon.start()
        // Only dispatches of this test may be committed, so the commands of the flow are held.
        _ = try daemon.connect().call("org.todod.Admin.Hold", ["on": true])
        for round in 1...Self.rounds {
            let client = try daemon.connect()
            let id = try #require(try client.dispatch([["flows": ["start": ["kind": "language"]]]], key: keys.next()).ids.first)
            try daemon.kill()

            // The crash may lose the answer or its acknowledgement.
            let place = ["before-accept", "before-commit", "after-commit"].randomElement(using: &random) ?? ""
            daemon.environment["CRASH_POINT"] = place
            try daemon.start()
            let second = try daemon.connect()
            #expect(try flows(second) == [id], "\(place) \(round)")
            let languages = ["C++", "Java", "Python"]
            let answer: Value = [
                "flows": ["answer": ["id": .int(id), "text": .text(languages.randomElement(using: &random) ?? "")]]
            ]
            let key = keys.next()
            #expect(throws: VarlinkClientError.closed) { try second.dispatch([answer], key: key) }
            #expect(try daemon.waitForEnd(seconds: 60) == .signal(SIGKILL))

            daemon.environment["CRASH_POINT"] = nil
            try daemon.start()
            let third = try daemon.connect()
            #expect(try flows(third) == (place == "after-commit" ? [] : [id]), "\(place) \(round)")
            #expect(try third.dispatch([answer], key: key).isDuplicate == (place == "after-commit"))
            #expect(try flows(third) == [])
            #expect(try third.refusal([answer], key: keys.next()) == "UnknownFlow")
        }
    }

    private func flows(_ client: Client) throws -> [Int64] {
        (try client.state("flows")["flows"]?["items"]?.list ?? []).compactMap { $0["id"]?.int }
    }
}
