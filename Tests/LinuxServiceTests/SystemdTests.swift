import Glibc
import ServiceLifecycle
import ServiceLifecycleTestKit
import Synchronization
import TestSupport
import Testing

@testable import LinuxService

@Suite struct SystemdTests {
    @Test func `each notification is one message`() throws {
        let directory = TemporaryDirectory()
        let manager = try NotifySocket("\(directory.path)/notify")
        let notifier = ServiceNotifier(environment: ["NOTIFY_SOCKET": manager.name])
        notifier.extendTimeout(status: "folding\n1 record")
        notifier.ready(status: "here")
        notifier.watchdog()
        notifier.stopping(status: "bye")
        #expect(manager.nextText() == "EXTEND_TIMEOUT_USEC=60000000\nSTATUS=folding 1 record")
        #expect(manager.nextText() == "READY=1\nSTATUS=here")
        #expect(manager.nextText() == "WATCHDOG=1")
        #expect(manager.nextText() == "STOPPING=1\nSTATUS=bye")
    }

    @Test func `a reload is reported with its time, as the service manager requires`() throws {
        let manager = try NotifySocket("@todod-reload-\(getpid())")
        ServiceNotifier(environment: ["NOTIFY_SOCKET": manager.name]).reloading()
        let words = try #require(manager.nextText()).split(separator: "\n")
        #expect(words.first == "RELOADING=1")
        let moment = try #require(words.last?.split(separator: "=").last.flatMap { Int64($0) })
        #expect(words.last?.hasPrefix("MONOTONIC_USEC=") == true)
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        #expect((now.tv_sec - 600)...now.tv_sec ~= Int(moment / 1_000_000))
    }

    @Test func `a service manager on an abstract socket is reached`() throws {
        let manager = try NotifySocket("@todod-test-\(getpid())")
        ServiceNotifier(environment: ["NOTIFY_SOCKET": manager.name]).watchdog()
        #expect(manager.nextText() == "WATCHDOG=1")
    }

    @Test func `without a service manager nothing happens`() {
        let notifier = ServiceNotifier(environment: [:])
        #expect(!notifier.hasManager)
        notifier.ready(status: "unheard")
    }

    @Test func `sockets are taken over with their kind and closed in child processes`() throws {
        let directory = TemporaryDirectory()
        let listening = try SocketPath("\(directory.path)/s").listen()
        defer { close(listening.descriptor) }
        var pair: [Int32] = [0, 0]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
        // Two consecutive numbers, as systemd passes them, that no other test uses.
        var taken = pair
        defer { for number in taken { close(number) } }
        var first: Int32
        repeat {
            first = fcntl(listening.descriptor, F_DUPFD, 0)
            taken += [first, fcntl(pair[0], F_DUPFD, first + 1)]
        } while taken.last != first + 1

        let environment = ["LISTEN_PID": "42", "LISTEN_FDS": "2", "LISTEN_FDNAMES": "varlink:connection"]
        let sockets = try InheritedSocket.take(environment: environment, pid: 42, first: first)
        #expect(sockets.map(\.isListening) == [true, false])
        #expect(fcntl(first, F_GETFD) == FD_CLOEXEC)
        #expect(try InheritedSocket.take(environment: environment, pid: 43, first: first) == [])
    }

    @Test func `a descriptor that is not a Unix stream socket is refused`() throws {
        let null = open("/dev/null", O_RDWR)
        defer { close(null) }
        #expect(throws: StartFailure.self) {
            try InheritedSocket.take(environment: ["LISTEN_PID": "42", "LISTEN_FDS": "1"], pid: 42, first: null)
        }
    }

    @Test func `the watchdog is notified after each successful probe, at half its interval`() async throws {
        let manager = try NotifySocket("@todod-watchdog-\(getpid())")
        let pauses = Mutex<[Duration]>([])
        let probes = Atomic(0)
        let notifier = ServiceNotifier(environment: ["NOTIFY_SOCKET": manager.name])
        let interval = notifier.watchdogInterval(environment: ["WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "42"], pid: 42)
        try await notifier.watch(
            every: #require(interval),
            pause: { duration in
                let count = pauses.withLock { pauses in
                    pauses.append(duration)
                    return pauses.count
                }
                if count == 3 { throw CancellationError() }
            },
            probe: { probes.wrappingAdd(1, ordering: .relaxed) })
        #expect(pauses.withLock { $0 } == Array(repeating: .milliseconds(1500), count: 3))
        #expect(probes.load(ordering: .relaxed) == 3)
        #expect((1...3).map { _ in manager.nextText() } == Array(repeating: "WATCHDOG=1", count: 3))
    }

    @Test func `a store that does not answer is not reported as alive`() async throws {
        struct Stuck: Error {}
        let manager = try NotifySocket("@todod-stuck-\(getpid())")
        let notifier = ServiceNotifier(environment: ["NOTIFY_SOCKET": manager.name])
        await #expect(throws: Stuck.self) { try await notifier.watch(every: .seconds(1), probe: { throw Stuck() }) }
        #expect(manager.nextText() == nil)
    }

    @Test func `without a watchdog interval there is no watchdog`() throws {
        let manager = try NotifySocket("@todod-unwatched-\(getpid())")
        let notifier = ServiceNotifier(environment: ["NOTIFY_SOCKET": manager.name])
        #expect(notifier.watchdogInterval(environment: [:], pid: 42) == nil)
        #expect(notifier.watchdogInterval(environment: ["WATCHDOG_USEC": "1", "WATCHDOG_PID": "43"], pid: 42) == nil)
        #expect(ServiceNotifier(environment: [:]).watchdogInterval(environment: ["WATCHDOG_USEC": "1"], pid: 42) == nil)
    }

    @Test func `ready is reported after the wait, and stopping at the stop`() async throws {
        let manager = try NotifySocket("@todod-ready-\(getpid())")
        let (ready, becomesReady) = AsyncStream<Void>.makeStream()
        let notifier = ServiceNotifier(environment: ["NOTIFY_SOCKET": manager.name])
        let message = startMessage(socket: "/s")
        try await testGracefulShutdown { trigger in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await notifier.announce(
                        message, say: { _ in },
                        when: {
                            #expect(manager.nextText() == nil)
                            becomesReady.finish()
                        })
                }
                for await _ in ready {}
                trigger.triggerGracefulShutdown()
                try await group.waitForAll()
            }
        }
        var said: [String] = []
        while let text = manager.nextText() { said.append(text) }
        #expect(said.last == "STOPPING=1\nSTATUS=Finishing accepted calls")
    }

    @Test func `the welcome message has the socket and three commands`() async throws {
        let (said, saying) = AsyncStream.makeStream(of: String.self)
        let (notifier, message) = (ServiceNotifier(environment: [:]), startMessage(socket: "/s"))
        let text = try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await notifier.announce(message, say: { saying.yield($0) }, when: {}) }
            defer { group.cancelAll() }
            return try #require(await said.first { _ in true })
        }
        #expect(text.split(separator: "\n").count == 5)
        #expect(text.contains("  todoctl --socket /s list\n"))
    }

    let todod = Program(name: "todod", version: "1.0.0", firstTries: ["add Buy the milk", "list", "watch"])

    func startMessage(socket: String) -> StartMessage {
        StartMessage(
            todod, socket: socket, usualSockets: ["/run/user/1/todod/s", "/run/todod/s"], path: "todod", exists: { _ in false })
    }

    @Test func `the client is named as it can be called`() {
        let beside = StartMessage(
            todod, socket: "/a b", usualSockets: [], path: ".build/release/todod", exists: { $0 == ".build/release/todoctl" })
        #expect(beside.text.contains("  .build/release/todoctl --socket '/a b' list\n"))
        let usual = StartMessage(
            todod, socket: "/u", usualSockets: ["/u", "/system"], path: "/usr/bin/todod", exists: { _ in false })
        #expect(usual.text.contains("  todoctl list\n"))
        let hidden = StartMessage(
            todod, socket: "/system", usualSockets: ["/u", "/system"], path: "todod", exists: { $0 == "/u" })
        #expect(hidden.text.contains("--socket /system"))
    }

    @Test func `a long fold is reported once a second`() {
        let start = ContinuousClock.now
        var progress = FoldProgress(last: 5_000_000, now: start)
        #expect(progress.line(after: 1, now: start + .milliseconds(999)) == nil)
        #expect(progress.line(after: 2_500_000, now: start + .seconds(1)) == "Folding the log: 2500000 of 5000000 (50 %)")
        #expect(progress.line(after: 2_600_000, now: start + .milliseconds(1999)) == nil)
        #expect(progress.line(after: 5_000_000, now: start + .seconds(2)) == "Folding the log: 5000000 of 5000000 (100 %)")
    }
}
