import Glibc
import ProcessTesting
import TestSupport
import Testing
import TodoClient
import Varlink

/// A daemon that is repeatedly killed at each point of a dispatch.
@Suite(.ownThreads, .enabled(if: CrashPlan.isCompiledIn, CrashPlan.reason)) struct DispatchCrashTests {
    enum Place: String, CaseIterable, Sendable {
        case beforeAccept = "before-accept"
        case beforeCommit = "before-commit"
        case afterCommit = "after-commit"
    }

    static let rounds = Sanitizer.share(of: 20)

    @Test(arguments: Place.allCases)
    func `a dispatch is in the log as a whole or not at all, and a retry with its key logs it once`(place: Place) throws {
        let daemon = try Daemon()
        var random = SeededGenerator(UInt64(place.rawValue.utf8.count))
        var keys = Keys(seed: 7)
        var head: Int64 = 0
        for round in 1...Self.rounds {
            let number = Int.random(in: 1...6, using: &random)
            daemon.environment["CRASH_POINT"] = "\(place.rawValue):\(number)"
            try daemon.start()
            let client = try daemon.connect()
            for _ in 1..<number {
                head = try #require(try client.dispatch([Actions.increment], key: keys.next()).sequences.last)
            }
            let key = keys.next()
            let actions = [Actions.increment, Actions.add("Todo \(round)"), Actions.text("\(round)")]
            #expect(throws: VarlinkClientError.closed) { try client.dispatch(actions, key: key) }
            #expect(try daemon.waitForEnd(seconds: 30) == .signal(SIGKILL), "\(place) \(round)")

            daemon.environment["CRASH_POINT"] = nil
            try daemon.start()
            let after = try daemon.connect()
            let isLogged = place == .afterCommit
            #expect(try after.sequence() == head + (isLogged ? 3 : 0), "\(place) \(round)")
            let expected = Array(head + 1...head + 3)
            let again = try after.dispatch(actions, key: key)
            #expect(again.sequences == expected && again.isDuplicate == isLogged, "\(place) \(round): \(again)")
            let once = try after.dispatch(actions, key: key)
            #expect(once.sequences == expected && once.isDuplicate)
            head += 3
            #expect(try Model(log: after.log()) == Model(state: after.state()))
            if round % 2 == 0 { try daemon.kill() } else { #expect(try daemon.stop() == .exit(0)) }
        }
    }
}
