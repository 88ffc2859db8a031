import Chronicle
import ChronicleLog
import ChronicleStore
import ChronicleTesting
import FeatureApp
import FeatureCounter
import Logging
import Synchronization
import Testing
import TimeTravel
import TodoDaemon

@testable import ChronicleDaemon

/// Collects the reported heads.
private final class ToldHeads: LogHandler, Sendable {
    private let heads = Mutex<[String]>([])
    var all: [String] { heads.withLock { $0 } }

    func log(event: LogEvent) {
        if event.message == "Head", let head = event.metadata?["head"] { heads.withLock { $0.append("\(head)") } }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }
    var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }
    var logLevel: Logger.Level {
        get { .trace }
        set {}
    }
}

@Suite(.timeLimit(.minutes(15))) struct HourlyHeadTests {
    @Test func `the journal gets the head of the log each hour if the log grew`() async throws {
        let log = InMemoryActionLog()
        let store = Store(
            try RecoveryResult<App>(from: log, initial: App.State()), log: log,
            options: StoreOptions(build: 1, fingerprint: "one"))
        let history = History<App>(
            log, snapshots: nil, fingerprint: "one", base: PastState(state: App.State()), queries: store.queries,
            present: { store.present })
        let (told, clock) = (ToldHeads(), TestClock())
        let part = DaemonPart.tellingHead(of: history, to: HeadLogger(Logger(label: "test") { _ in told }), on: clock)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await part.run() }
            var heads: [String] = []
            for goesOn in [true, false, true] {
                if goesOn {
                    _ = try await store.dispatch(Dispatch([.counter(.increment)]))
                    heads.append("\(try await history.anchoredHead())")
                }
                // Nothing is reported before its time, and the report is complete when the task sleeps again.
                try await clock.sleeping()
                clock.advance(by: HeadLogger.pause - .seconds(1))
                #expect(told.all == Array(goesOn ? heads.dropLast() : heads[...]))
                clock.advance(by: .seconds(1))
                try await clock.sleeping()
                #expect(told.all == heads)
            }
            group.cancelAll()
        }
        await store.stop()
    }
}
