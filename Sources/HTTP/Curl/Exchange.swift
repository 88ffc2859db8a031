import Synchronization

/// The state of one request, shared by its caller and the transfer thread.
final class Exchange: Sendable {
    /// The event that a caller waits for.
    enum Need {
        case head
        case bytes
        case end
    }

    private struct State {
        var head: HTTPHead?
        var bytes: [UInt8] = []
        var isOver = false
        var error: HTTPError?
        var isPaused = false
        var waiter: (need: Need, wake: @Sendable () -> Void)?

        func meets(_ need: Need) -> Bool {
            switch need {
            case .head: isOver || head != nil
            case .bytes: isOver || !bytes.isEmpty
            case .end: isOver
            }
        }
    }

    let request: HTTPRequest
    /// The client that sent it.
    let client: ObjectIdentifier
    /// Whether the caller reads the body while it arrives.
    private let isStreamed: Bool
    private let state = Mutex(State())

    /// Bytes that wait for the caller before the transfer is paused.
    static let unreadBytesMax = 256 << 10

    init(_ request: HTTPRequest, of client: ObjectIdentifier, isStreamed: Bool) {
        (self.request, self.client, self.isStreamed) = (request, client, isStreamed)
    }

    /// Calls `wake` once the need is met, at once if it is.
    ///
    /// There is one waiter at a time.
    func wait(for need: Need, _ wake: @escaping @Sendable () -> Void) {
        let isMet = state.withLock { state in
            if state.meets(need) { return true }
            state.waiter = (need, wake)
            return false
        }
        if isMet { wake() }
    }

    /// Waits, and cancels the transfer if the task is cancelled.
    func wait(for need: Need) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in wait(for: need) { continuation.resume() } }
        } onCancel: {
            cancel()
        }
    }

    func cancel() { TransferThread.shared?.send(.cancel(self)) }

    // On the transfer thread.

    func receive(_ head: HTTPHead) { change { $0.head = head } }

    /// Takes a piece of the body, unless the caller has too much to read already: then the transfer is paused.
    func receive(_ piece: UnsafeRawBufferPointer) -> Bool {
        change { state in
            state.isPaused = isStreamed && state.bytes.count >= Self.unreadBytesMax
            if !state.isPaused { state.bytes.append(contentsOf: piece) }
            return !state.isPaused
        }
    }

    func end(_ error: HTTPError?) { change { ($0.isOver, $0.error) = (true, error) } }

    func unpause() { state.withLock { $0.isPaused = false } }

    var isPaused: Bool { state.withLock { $0.isPaused } }

    private func change<Result>(_ change: (inout State) -> Result) -> Result {
        let (result, wake) = state.withLock { state in
            let result = change(&state)
            guard let waiter = state.waiter, state.meets(waiter.need) else { return (result, nil as (@Sendable () -> Void)?) }
            state.waiter = nil
            return (result, waiter.wake)
        }
        wake?()
        return result
    }

    // On the caller's side, after waiting.

    /// Returns the head; throws the error if no head has arrived.
    func head() throws(HTTPError) -> HTTPHead {
        let (head, error) = state.withLock { ($0.head, $0.error) }
        if let head { return head }
        throw error ?? HTTPError(.notHTTP, mayHaveBeenSent: true)
    }

    /// The bytes that have arrived; `nil`: the body is complete.
    func takeBytes() throws(HTTPError) -> [UInt8]? {
        let (bytes, error, wasPaused) = state.withLock { state in
            defer { state.bytes = [] }
            return (state.bytes, state.error, state.isPaused)
        }
        if wasPaused { TransferThread.shared?.send(.resume(self)) }
        if !bytes.isEmpty { return bytes }
        if let error { throw error }
        return nil
    }

    /// The complete response.
    func answer() throws(HTTPError) -> HTTPAnswer {
        if let error = state.withLock({ $0.error }) { throw error }
        return HTTPAnswer(head: try head(), body: try takeBytes() ?? [])
    }
}
