import Glibc
import ProcessTesting
import TestSupport
import Testing

/// A runner that is repeatedly killed at each point of a command's life.
@Suite(.ownThreads, .enabled(if: CrashPlan.isCompiledIn, CrashPlan.reason)) struct CommandCrashTests {
    /// A point in the life of a single command.
    ///
    /// There is one commit each for the dispatch, the begin of the attempt and its end.
    enum Place: String, CaseIterable, Sendable {
        case beforeAccept = "before-accept"
        case beforeDispatchIsCommitted = "before-commit 1"
        case afterDispatchIsCommitted = "after-commit 1"
        case beforeStart = "before-command-start"
        case beforeBeginIsCommitted = "before-commit 2"
        case afterBeginIsCommitted = "after-commit 2"
        case beforeTarget = "before-target"
        case afterTarget = "after-target"
        case beforeEndIsCommitted = "before-commit 3"
        case afterEndIsCommitted = "after-end-commit"

        /// The plan to crash there in the `number`th of several sequential commands.
        func plan(forCommand number: Int) -> String {
            let words = rawValue.split(separator: " ")
            guard words.count == 2, let phase = Int(words[1]) else { return "\(rawValue):\(number)" }
            return "\(words[0]):\(3 * (number - 1) + phase)"
        }

        /// Whether the action that requests the command is in the log after the crash.
        var isLogged: Bool { ![.beforeAccept, .beforeDispatchIsCommitted].contains(self) }

        /// Whether an attempt was marked as begun and its end is missing.
        var isUnderWay: Bool {
            [.afterBeginIsCommitted, .beforeTarget, .afterTarget, .beforeEndIsCommitted].contains(self)
        }

        /// Whether the target did its work before the crash.
        var isTargetReached: Bool { [.afterTarget, .beforeEndIsCommitted, .afterEndIsCommitted].contains(self) }

        /// The attempts that reach the target, before and after the crash.
        func attempts(isIdempotent: Bool) -> [Int] {
            if isUnderWay { return (isTargetReached ? [1] : []) + (isIdempotent ? [2] : []) }
            return [1]
        }
    }

    static let rounds = Sanitizer.share(of: 20)

    @Test(arguments: Place.allCases, [true, false])
    func `a command is executed once, or is parked if that is unknown`(place: Place, isIdempotent: Bool) throws {
        let runner = try RunnerProcess()
        var random = SeededGenerator(UInt64(place.rawValue.utf8.reduce(0) { $0 + Int($1) }))
        for round in 1...Self.rounds {
            let number = Int.random(in: 1...3, using: &random)
            let kind = isIdempotent ? "idempotent" : "once"
            try runner.start(crash: place.plan(forCommand: number))
            for before in 1..<number {
                let text = "\(round).\(before)"
                #expect(try runner.ask("run key-\(text) \(text) \(kind) 0")?.hasSuffix(" first") == true)
                #expect(try runner.ask("await \(text)") == "done 1")
            }
            let text = "\(round).\(number)"
            let order = "run key-\(text) \(text) \(kind) 0"
            let answer = try runner.ask(order)
            #expect(try runner.waitForEnd() == .signal(9), "\(place) \(text)")

            try runner.start()
            let again = try #require(try runner.ask(order))
            #expect(again.hasSuffix(place.isLogged ? " again" : " first"), "\(place) \(text): \(again)")
            if let answer { #expect(answer.split(separator: " ")[1] == again.split(separator: " ")[1]) }
            let isParked = place.isUnderWay && !isIdempotent
            let end = try #require(try runner.ask("await \(text)"))
            #expect(isParked ? end.contains("uncertain") : end == "done 1", "\(place) \(text): \(end)")
            // A repeated attempt of the first command would come before this one ends.
            #expect(try runner.ask("run key-\(round).last \(round).last \(kind) 0")?.hasSuffix(" first") == true)
            #expect(try runner.ask("await \(round).last") == "done 1")
            let calls = runner.target.calls(of: text)
            #expect(calls.map(\.attempt) == place.attempts(isIdempotent: isIdempotent), "\(place) \(text)")
            #expect(Set(calls.map(\.id)).count <= 1, "\(calls)")
            let rows = try #require(try runner.ask("rows"))
            #expect(rows.split(separator: " ").count { $0.hasPrefix(text + ":") } == (isParked ? 1 : 0), "\(rows)")
            #expect(try runner.stop() == .exit(0))
        }
    }

    @Test func `a timer that came due while the daemon was down fires once, and its record has the due time`() throws {
        let runner = try RunnerProcess()
        var random = SeededGenerator(11)
        try counted { round in
            let delay = Int.random(in: 100...300, using: &random)
            try runner.start()
            #expect(try runner.ask("run timer-\(round) \(round) idempotent \(delay)")?.hasSuffix(" first") == true)
            try runner.kill()
            guard runner.target.calls(of: round).isEmpty else { return false }
            #expect(try !runner.target.isCalled(within: Double(delay + 10) / 1000))
            try expectOnce(runner, round, attempts: [1])
            return true
        }
    }

    @Test func `a retry that came due while the daemon was down is made once`() throws {
        let runner = try RunnerProcess()
        try counted { round in
            try runner.start()
            runner.target.answer(round, with: "busy 300")
            #expect(try runner.ask("run retry-\(round) \(round) idempotent 0")?.hasSuffix(" first") == true)
            // After the first call, it waits again once that is on disk.
            while runner.target.calls(of: round).isEmpty { _ = try runner.ask("rows") }
            while try runner.ask("rows") == "\(round):started" {}
            try runner.kill()
            guard runner.target.calls(of: round).count == 1 else { return false }
            #expect(try !runner.target.isCalled(within: 0.31))
            try expectOnce(runner, round, attempts: [1, 2])
            return true
        }
    }

    /// Repeats rounds until enough of them crashed in time.
    ///
    /// On a busy machine a crash may be too late and proves nothing.
    private func counted(_ round: (_ name: String) throws -> Bool) throws {
        var (count, tries) = (0, 0)
        while count < Self.rounds, tries < 3 * Self.rounds {
            tries += 1
            if try round("\(tries)") { count += 1 }
        }
        #expect(count == Self.rounds)
    }

    /// Restarts the runner and checks that the command ends now and was due before.
    private func expectOnce(_ runner: RunnerProcess, _ text: String, attempts: [Int]) throws {
        let start = Self.microseconds()
        try runner.start()
        #expect(try runner.ask("await \(text)") == "done 1")
        let end = try #require(try runner.ask("end \(text)")).split(separator: " ").compactMap { Int64($0) }
        try #require(end.count == 2)
        #expect(end[0] >= start && end[1] > 0 && end[1] <= start, "ended \(end[0]), due \(end[1]), started \(start)")
        #expect(runner.target.calls(of: text).map(\.attempt) == attempts)
        #expect(try runner.ask("rows") == "")
        #expect(try runner.stop() == .exit(0))
    }

    private static func microseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
    }
}
