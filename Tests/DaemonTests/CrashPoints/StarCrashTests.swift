import Glibc
import ProcessTesting
import TestSupport
import Testing
import Varlink

/// A daemon that stars repositories on a server and is killed at each point of that.
@Suite(.ownThreads, .enabled(if: CrashPlan.isCompiledIn, CrashPlan.reason)) struct StarCrashTests {
    enum Place: String, CaseIterable, Sendable {
        case afterCommit = "after-commit"
        case beforeStart = "before-command-start"
        case beforeTarget = "before-target"
        case afterTarget = "after-target"
        case afterEnd = "after-end-commit"

        /// The number of requests, before and after the crash together.
        var requests: Int { self == .afterTarget ? 2 : 1 }
    }

    static let rounds = Sanitizer.share(of: 20)

    @Test(arguments: Place.allCases)
    func `a star is given once, and a repeated request has the same key`(place: Place) throws {
        let web = try MockWeb()
        let daemon = try Daemon()
        let token = try daemon.directory.write("token\n", to: "token")
        #expect(chmod(token, 0o600) == 0)
        daemon.environment = ["TODOD_GITHUB_URL": web.address, "TODOD_GITHUB_TOKEN_FILE": token]
        var keys = Keys(seed: 3)
        var head: Int64 = 0
        for round in 1...Self.rounds {
            let id = "owner/name-\(round)"
            let press: Value = ["stars": ["press": ["id": .text(id)]]]
            let key = keys.next()
            daemon.environment["CRASH_POINT"] = place.rawValue
            try daemon.start()
            // Whether the answer is sent before the crash is random, except where no answer is sent.
            _ = try? daemon.connect().dispatch([press], key: key)
            #expect(try daemon.waitForEnd(seconds: 60) == .signal(SIGKILL), "\(place) \(round)")

            daemon.environment["CRASH_POINT"] = nil
            try daemon.start()
            let client = try daemon.connect()
            let again = try client.dispatch([press], key: key)
            #expect(again.isDuplicate && again.sequences == [head + 1], "\(place) \(round): \(again)")
            head += 2
            let state = try client.call("org.todod.Store.GetState", ["scope": "stars", "minimumSequence": .int(head)])
            #expect(state["state"]?["stars"]?["items"]?[id]?["phase"] == "star", "\(place) \(round): \(state)")
            #expect(state["sequence"]?.int == head)
            let requests = web.requests(for: "/user/starred/\(id)")
            #expect(requests.count == place.requests, "\(place) \(round)")
            #expect(requests.allSatisfy { $0.line.hasPrefix("PUT ") && !$0.key.isEmpty } && Set(requests.map(\.key)).count == 1)
            #expect(try daemon.stop() == .exit(0))
        }
        // Different requests have different keys, and every end is in the log once.
        try daemon.start()
        let client = try daemon.connect()
        let names = (1...Self.rounds).flatMap { web.requests(for: "/user/starred/owner/name-\($0)").map(\.key) }
        #expect(Set(names).count == Self.rounds)
        #expect(try client.log().map { $0["kind"]?.text } == (1...Self.rounds).flatMap { _ in ["action", "end"] })
        #expect(try client.status()["outbox"]?["open"]?.int == 0)
    }
}
