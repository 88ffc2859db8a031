import Foundation
import Glibc
import Logging
import Testing

@testable import LinuxService

@Suite struct LoggingTests {
    /// What a logger writes to its descriptor.
    func written(_ form: LogOutput.Form, _ body: (Logger) -> Void) throws -> String {
        var pipes: [Int32] = [0, 0]
        guard pipe(&pipes) == 0 else { throw SystemError.last }
        let output = LogOutput(program: "todod", form: form, descriptor: pipes[1])
        body(Logger(label: "test") { DaemonLogHandler(label: $0, output: output, threshold: LogThreshold(.info)) })
        output.drain()
        close(pipes[1])
        defer { close(pipes[0]) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(pipes[0], &bytes, bytes.count)
        return String(decoding: bytes[..<max(count, 0)], as: UTF8.self)
    }

    @Test func `a person reads one line with the metadata behind it`() throws {
        let text = try written(.plain) { logger in
            logger.info("Started", metadata: ["sequence": "12", "path": "a b"])
            logger.warning("Careful")
            logger.debug("Unheard")
        }
        #expect(text == "todod: Started path=\"a b\" sequence=12\ntodod: warning: Careful\n")
    }

    @Test func `control characters are shown and do nothing`() throws {
        let text = try written(.plain) { $0.info("a\nb\u{1b}[2J", metadata: ["x": "\u{202e}"]) }
        #expect(text == "todod: a\\u{a}b\\u{1b}[2J x=\\u{202e}\n")
    }

    @Test func `a line for the journal begins with its priority`() throws {
        #expect(try written(.prefixed) { $0.error("Broken") } == "<3>Broken\n")
    }

    @Test func `the journal gets fields`() throws {
        let journal = try Mailbox("@todod-journal-\(getpid())")
        let socket = try #require(UnixAddress(journal.name).flatMap { NotificationSocket($0) })
        let text = try written(.journal(socket)) { $0.notice("Stopped", metadata: ["exit-code": "0", "two": "a\nb"]) }
        #expect(text == "")
        let two = "TODOD_TWO\n\u{3}\0\0\0\0\0\0\0a\nb\n"
        #expect(
            journal.nextText()
                == "MESSAGE=Stopped exit-code=0 two=a\\u{a}b\nPRIORITY=5\nSYSLOG_IDENTIFIER=todod\nLOGGER=test\nTODOD_EXIT_CODE=0\n\(two)"
        )
    }

    @Test func `an entry that programs look for has its identity in the journal, and nowhere else`() throws {
        let metadata: Logger.Metadata = ["sequence": "12", "action": "todos.add"]
        let journal = try Mailbox("@todod-kinds-\(getpid())")
        let socket = try #require(UnixAddress(journal.name).flatMap { NotificationSocket($0) })
        _ = try written(.journal(socket)) { $0.info("Told", metadata: metadata.of(.debuggedRecord)) }
        let fields = journal.nextText()?.split(separator: "\n") ?? []
        for field in [
            "MESSAGE=Told action=todos.add sequence=12", "MESSAGE_ID=\(JournalKind.debuggedRecord.rawValue)", "TODOD_SEQUENCE=12",
            "TODOD_ACTION=todos.add",
        ] {
            #expect(fields.count { $0 == field } == 1, "\(field) in \(fields)")
        }
        #expect(
            try written(.prefixed) { $0.info("Told", metadata: metadata.of(.stopped)) }
                == "<6>Told action=todos.add sequence=12\n")
    }

    @Test func `the manual tells of every kind of entry`() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Sources/Programs/todod/Manual/todod.8")
        let page = try String(contentsOf: file, encoding: .utf8)
        let told = page.matches(of: /[0-9a-f]{32}/).map { String($0.output) }
        #expect(told == JournalKind.allCases.map(\.rawValue))
    }

    @Test func `a journal that is gone leaves lines with a priority`() throws {
        let socket = try #require(UnixAddress("@todod-nobody-\(getpid())").flatMap { NotificationSocket($0) })
        #expect(try written(.journal(socket)) { $0.info("Alone") } == "<6>Alone\n")
    }

    @Test func `a reader who does not read holds up nobody, and hears later how much was dropped`() throws {
        var pipes: [Int32] = [0, 0]
        guard pipe(&pipes) == 0 else { throw SystemError.last }
        let output = LogOutput(program: "todod", form: .plain, descriptor: pipes[1])
        let threshold = LogThreshold(.warning)
        let logger = Logger(label: "test") { DaemonLogHandler(label: $0, output: output, threshold: threshold) }
        logger.info("Unheard")
        threshold.level = .info
        // Far more than a pipe and the writer hold together: without a thread of its own this would never end.
        let line = String(repeating: "x", count: 1000)
        for _ in 0..<1000 { logger.info("\(line)") }
        var text = ""
        while !text.hasSuffix("were dropped, because nobody read those before them\n") {
            var bytes = [UInt8](repeating: 0, count: 65_536)
            let count = read(pipes[0], &bytes, bytes.count)
            guard count > 0 else { break }
            text += String(decoding: bytes[..<count], as: UTF8.self)
        }
        logger.info("Heard again")
        output.drain()
        var bytes = [UInt8](repeating: 0, count: 64)
        #expect(read(pipes[0], &bytes, bytes.count) == "todod: Heard again\n".utf8.count)
        for number in pipes { close(number) }
        let lines = text.split(separator: "\n")
        let dropped = try #require(lines.last?.split(separator: " ").compactMap { Int($0) }.first, "\(lines.last ?? "")")
        #expect(lines.dropLast().count + dropped == 1000)
        #expect(lines.dropLast().allSatisfy { $0 == "todod: \(line)" })
        #expect(lines.last?.hasPrefix("todod: warning: ") == true)
    }

    @Test func `a logger with a level of its own keeps it when that of the rest changes`() throws {
        let threshold = LogThreshold(.error)
        let output = LogOutput(program: "todod", form: .plain, descriptor: -1)
        let logger = Logger(label: "test") { DaemonLogHandler(label: $0, output: output, threshold: threshold) }
        var own = logger
        own.logLevel = .debug
        #expect(logger.logLevel == .error)
        threshold.level = .trace
        #expect(logger.logLevel == .trace)
        #expect(own.logLevel == .debug)
    }

    @Test func `it is the journal only when the descriptor is the one it names`() throws {
        var status = stat()
        #expect(fstat(STDERR_FILENO, &status) == 0)
        let right = LogOutput(
            program: "todod", environment: ["JOURNAL_STREAM": "\(status.st_dev):\(status.st_ino)"], descriptor: STDERR_FILENO,
            journal: "@nobody")
        guard case .journal = right.form else {
            Issue.record("not the journal: \(right.form)")
            return
        }
        let wrong = LogOutput(
            program: "todod", environment: ["JOURNAL_STREAM": "1:2"], descriptor: STDERR_FILENO, journal: "@nobody")
        guard case .plain = wrong.form else {
            Issue.record("not plain: \(wrong.form)")
            return
        }
    }

    @Test func `a limiter of refusals is one line in ten seconds`() {
        var limiter = RefusalLimiter(callsMax: 2)
        let start = ContinuousClock.now
        #expect(limiter.line(refusing: "UnknownTodo", uid: 7, now: start) == nil)
        #expect(limiter.line(refusing: "UnknownTodo", uid: 7, now: start) == nil)
        #expect(
            limiter.line(refusing: "Stale", uid: 7, now: start)
                == "More than 2 calls were refused within 10 s, the last of uid 7 with Stale")
        #expect(limiter.line(refusing: "Stale", uid: 7, now: start + .seconds(9)) == nil)
        #expect(limiter.line(refusing: "Stale", uid: 7, now: start + .seconds(10)) == nil)
        #expect(limiter.line(refusing: "Stale", uid: 7, now: start + .seconds(11)) == nil)
        #expect(limiter.line(refusing: "Stale", uid: 7, now: start + .seconds(12)) != nil)
    }

    @Test func `refusals now and then are no limiter`() {
        var limiter = RefusalLimiter(callsMax: 2)
        let start = ContinuousClock.now
        for second in 0..<100 {
            #expect(limiter.line(refusing: "Stale", uid: 7, now: start + .seconds(second * 5)) == nil)
        }
    }
}
