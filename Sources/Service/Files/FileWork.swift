import ActionLogs
import StoreRuntime

/// Does what takes as long as the disk takes, one thing after the other, on a thread of its own.
actor FileWork {
    private nonisolated let thread = SerialThread(name: "files")

    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    deinit { thread.end() }

    func run<Value: Sendable>(
        _ body: @Sendable () throws(ActionLogError) -> Value
    ) throws(ActionLogError) -> Value { try body() }
}
