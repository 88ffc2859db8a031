import Glibc
import Logging
import Testing

@testable import LinuxService

@Suite struct LoggingTests {
    /// The bytes written to a descriptor.
    func written(
        toJournal isJournal: Bool = false, environment: [String: String] = [:], _ body: (LogOutput) -> Void
    ) throws -> String {
        var pipes: [Int32] = [0, 0]
        guard pipe(&pipes) == 0 else { throw SystemError.last }
        var (environment, status) = (environment, stat())
        try #require(fstat(pipes[1], &status) == 0)
        if isJournal { environment["JOURNAL_STREAM"] = "\(status.st_dev):\(status.st_ino)" }
        let output = LogOutput(program: "todod", environment: environment, descriptor: pipes[1])
        body(output)
        output.drain()
        close(pipes[1])
        defer { close(pipes[0]) }
        var bytes = [UInt8](repeating: 0, count: 60_000)
        let count = read(pipes[0], &bytes, bytes.count)
        return String(decoding: bytes[..<max(count, 0)], as: UTF8.self)
    }

    /// The output of a logger.
    func logged(
        toJournal isJournal: Bool = false, environment: [String: String] = [:], _ body: (Logger) -> Void
    ) throws -> String {
        try written(toJournal: isJournal, environment: environment) { output in
            body(Logger(label: "test") { _ in DaemonLogHandler(output: output, threshold: LogThreshold(.info)) })
        }
    }

    @Test func `a log entry is one readable line that ends with its metadata`() throws {
        let text = try logged { logger in
            logger.info("Started", metadata: ["sequence": "12", "path": "a b"])
            logger.warning("Careful")
            logger.debug("Unheard")
        }
        #expect(text == "todod: Started path=\"a b\" sequence=12\ntodod: warning: Careful\n")
    }

    @Test func `control characters are escaped`() throws {
        let text = try logged { logger in logger.info("a\nb\u{1b}[2J", metadata: ["x": "\u{202e}"]) }
        #expect(text == "todod: a\\u{a}b\\u{1b}[2J x=\\u{202e}\n")
    }

    @Test func `a value stays within its quotes, whatever characters it has`() throws {
        let text = try logged { logger in logger.info("a", metadata: ["x": "\"\u{301} uid=0", "y": "\\\u{301} z"]) }
        #expect(text == #"todod: a x="\""# + "\u{301} uid=0\" y=\"\\\\\u{301} z\"\n")
    }

    @Test func `a line is shorter than those that the journal splits`() throws {
        let text = try logged { logger in logger.info("\(String(repeating: "<0>", count: 100_000))") }
        #expect(text.utf8.count < 48 << 10 && text.hasSuffix("…\n"))
    }

    @Test func `in the journal each line begins with its level, and a message can't begin another line`() throws {
        let text = try logged(toJournal: true) { logger in
            logger.error("Broken\n<0>forged", metadata: ["exit-code": "0", "two": "a\nb"])
            logger.info("Told")
        }
        #expect(text == "<3>Broken\\u{a}<0>forged exit-code=0 two=a\\u{a}b\n<6>Told\n")
    }

    @Test func `the journal is standard error only if the system names that file`() throws {
        var status = stat()
        try #require(fstat(STDERR_FILENO, &status) == 0)
        let other = "\(status.st_dev):\(status.st_ino)"
        #expect(try logged(environment: ["JOURNAL_STREAM": other]) { $0.info("Told") } == "todod: Told\n")
    }

    @Test func `an error has as many lines as its message`() throws {
        let failure = StartFailure(.configuration, "One\u{1b}\nTwo")
        #expect(try written { $0.complain(failure) } == "todod: One\\u{1b}\ntodod: Two\n")
        #expect(try written(toJournal: true) { $0.complain(failure) } == "<3>One\\u{1b}\n<3>Two\n")
    }

    @Test func `a reader that does not read blocks nothing and later gets the number of dropped lines`() throws {
        var pipes: [Int32] = [0, 0]
        guard pipe(&pipes) == 0 else { throw SystemError.last }
        let output = LogOutput(program: "todod", environment: [:], descriptor: pipes[1])
        let threshold = LogThreshold(.warning)
        let logger = Logger(label: "test") { _ in DaemonLogHandler(output: output, threshold: threshold) }
        logger.info("Unheard")
        threshold.level = .info
        // Far more than a pipe and the writer hold. Without a separate thread this would never end.
        let line = String(repeating: "x", count: 1000)
        for _ in 0..<1000 { logger.info("\(line)") }
        var text = ""
        while !text.hasSuffix("were dropped, because earlier lines were not read\n") {
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

    @Test func `a logger with its own level keeps it when the default level changes`() throws {
        let threshold = LogThreshold(.error)
        let output = LogOutput(program: "todod", environment: [:], descriptor: -1)
        let logger = Logger(label: "test") { _ in DaemonLogHandler(output: output, threshold: threshold) }
        var own = logger
        own.logLevel = .debug
        #expect(logger.logLevel == .error)
        threshold.level = .trace
        #expect(logger.logLevel == .trace)
        #expect(own.logLevel == .debug)
    }

    @Test func `a rate limiter of refusals logs one line in ten seconds`() {
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

    @Test func `occasional refusals are not rate limited`() {
        var limiter = RefusalLimiter(callsMax: 2)
        let start = ContinuousClock.now
        for second in 0..<100 {
            #expect(limiter.line(refusing: "Stale", uid: 7, now: start + .seconds(second * 5)) == nil)
        }
    }
}
