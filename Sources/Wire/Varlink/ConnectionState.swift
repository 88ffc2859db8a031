/// The state machine of one server connection, without I/O: bytes in, calls out, replies in, bytes out in call order.
///
/// The owner ends each started call once, in any order and at any time.
///
/// A reply waits as its encoding closure while earlier calls are unanswered or the output is full, so a peer that stops reading
/// costs at most the outbound limit and one reply. Calls after a call with `more` wait as bytes until that call is answered.
public struct ConnectionState: Sendable {
    /// Writes the parameters of a reply as one JSON object.
    public typealias Encoder = @Sendable (inout [UInt8]) -> Void

    public struct CallID: Sendable, Hashable {
        let number: UInt64
    }

    public enum Request: Sendable {
        case call(Call)
        /// A call that the service's own fast parser has read; it expects a single reply.
        case read(any Sendable)
    }

    /// Parses the frame of a frequent call with a single reply, without its NUL and without building a `Value` tree; nil for any
    /// other frame, which is then parsed strictly.
    public typealias PlainReader = @Sendable (Span<UInt8>) -> (any Sendable)?

    public enum Ending: Sendable {
        /// A result, which occupies `byteCount` bytes of memory until it is encoded.
        case success(Encoder, byteCount: Int = 0)
        case failure(CallError)
    }

    private struct Slot: Sendable {
        var more = false
        var oneway = false
        var bytes = 0
        var ending: Ending?
        /// Whether the reply is in the output, or the call has ended and gets no reply.
        var isDone = false

        var isRunning: Bool { ending == nil && !isDone }
    }

    private enum Input: Sendable {
        case open
        /// No more bytes arrive; complete calls in the buffer are still started.
        case ended
        /// No more calls are started.
        case closed
    }

    /// Capacity that an empty output may keep.
    private static let idleBytesMax = 4_096
    public let limits: ConnectionLimits

    /// Encoded replies to write to the peer.
    public private(set) var output: [UInt8] = []

    /// Bytes taken from ``output`` that are not yet written, as last reported by the owner.
    public private(set) var unwrittenBytes = 0

    /// Whether the peer sent malformed input and was answered with an error.
    public private(set) var hasRefusedInput = false
    private var input = Input.open
    private var decoder: FrameDecoder
    private var slots: [Slot] = []
    /// Bytes of replies that wait for earlier replies.
    private var heldBytes = 0
    private var nextNumber: UInt64 = 1
    private var framesRead: UInt64 = 0
    /// Bytes of calls that are started and have not ended.
    private var startedBytes = 0
    /// Bytes parsed in the current batch.
    private var batchBytes = 0
    /// Whether a large frame is being parsed on another thread.
    private var isReading = false
    private let plainReader: PlainReader?

    public init(limits: ConnectionLimits = ConnectionLimits(), plainReader: PlainReader? = nil) {
        (self.limits, self.plainReader) = (limits, plainReader)
        decoder = FrameDecoder(frameBytesMax: limits.frameBytesMax)
    }
}

// MARK: - Bytes and calls in

extension ConnectionState {
    public mutating func received(_ bytes: RawSpan) { if input == .open { decoder.append(bytes) } }

    /// Records the end of the input; complete calls in the buffer are still started and answered.
    public mutating func inputEnded() { if input == .open { input = .ended } }

    /// Starts no further calls; started calls are still answered.
    public mutating func closeInput() {
        input = .closed
        decoder.discard()
    }

    /// Begins a batch, which parses at most ``ConnectionLimits/batchBytesMax`` bytes.
    public mutating func beginBatch() { batchBytes = 0 }

    /// Returns the next call to start; nil until bytes arrive, a call ends or the next batch begins.
    public mutating func nextCall() -> (id: CallID, request: Request)? {
        guard let bytes = nextBytes(), batchBytes + bytes <= limits.batchBytesMax else { return nil }
        batchBytes += bytes
        let (depthMax, plainReader) = (limits.depthMax, plainReader)
        let parsed = try? decoder.next { Self.request(of: $0, depthMax, plainReader) }
        if parsed != nil { framesRead += 1 }
        switch parsed {
        case nil: return nil
        case .failure(let error):
            refuseInput(error)
            return nil
        case .success(let request):
            var slot = Slot(bytes: bytes)
            if case .call(let call) = request { (slot.more, slot.oneway) = (call.more, call.oneway) }
            return (begin(slot), request)
        }
    }

    /// Returns the next frame if it exceeds the rest of the current batch.
    ///
    /// Later calls wait until ``begun(_:)`` or ``refuse(_:_:)`` is called for it.
    public mutating func nextLargeFrame() -> LargeFrame? {
        guard let bytes = nextBytes(), batchBytes + bytes > limits.batchBytesMax,
            let frame = try? decoder.take()
        else { return nil }
        framesRead += 1
        isReading = true
        return LargeFrame(id: begin(Slot(bytes: bytes)), bytes: frame, depthMax: limits.depthMax, plainReader: plainReader)
    }

    /// Records the flags of a large call before it is started.
    public mutating func setFlags(of id: CallID, more: Bool, oneway: Bool) {
        guard let index = index(of: id) else { return }
        (slots[index].more, slots[index].oneway) = (more, oneway)
    }

    /// Records that a large call was started; it may have ended already.
    public mutating func begun(_ id: CallID) { isReading = false }

    /// Answers a malformed large frame with an error, in call order, and starts no further calls.
    public mutating func refuse(_ id: CallID, _ error: CallError) {
        isReading = false
        closeInput()
        hasRefusedInput = true
        end(id, .failure(error))
    }

    private mutating func begin(_ slot: Slot) -> CallID {
        slots.append(slot)
        startedBytes += slot.bytes
        defer { nextNumber += 1 }
        return CallID(number: nextNumber)
    }

    /// Returns the size of the next frame that may be parsed now.
    private mutating func nextBytes() -> Int? {
        // Checked first because this is the usual result: this runs after each call and each reply.
        guard decoder.bufferedBytes > 0, input != .closed, mayStart else { return nil }
        do {
            return try decoder.nextBytes()
        } catch {
            refuseInput(.invalidParameter("message: longer than \(error.frameBytesMax) bytes"))
            return nil
        }
    }

    /// Answers malformed input with an error, in call order, and starts no further calls.
    public mutating func refuseInput(_ error: CallError) {
        guard input != .closed else { return }
        closeInput()
        hasRefusedInput = true
        _ = begin(Slot(ending: .failure(error)))
        advance()
    }

    // Properties that are read after every call are inlined: a getter in another module would copy the whole state.

    /// Whether to read more bytes from the peer.
    ///
    /// While a stream or too many unanswered bytes block new calls, reading stops as soon as some bytes are buffered. This keeps the
    /// buffer small.
    @inline(__always)
    public var wantsInput: Bool { input == .open && hasRoomForCalls && (!isBlocked || decoder.bufferedBytes == 0) }

    /// The number of the incomplete frame at the end of the buffer; nil without one.
    ///
    /// Also nil while a limit blocks new calls, because then the peer is not responsible for the delay.
    @inline(__always) public var halfFrame: UInt64? { wantsInput && decoder.bufferedBytes > 0 ? framesRead : nil }
    @inline(__always) private var mayStart: Bool { hasRoomForCalls && !isBlocked }

    /// Whether new calls are blocked until another call is started or answered.
    @inline(__always) private var isBlocked: Bool { isStreaming || isReading || startedBytes >= limits.frameBytesMax }

    /// Whether the last call has `more` and is not answered; only the last call can, because it blocks later ones.
    @inline(__always) private var isStreaming: Bool { slots.last.map { $0.more && !$0.isDone } ?? false }

    /// Parses a frame without its NUL.
    static func request(of frame: Span<UInt8>, _ depthMax: Int, _ plainReader: PlainReader?) -> Result<Request, CallError> {
        if let read = plainReader?(frame) { return .success(.read(read)) }
        return Result { () throws(CallError) in .call(try Call(parsing: frame, depthMax: depthMax)) }
    }
}

// MARK: - Replies and bytes out

extension ConnectionState {
    /// Ends a call; ignored if it has already ended.
    public mutating func end(_ id: CallID, _ ending: Ending) {
        guard let index = index(of: id), slots[index].isRunning else { return }
        startedBytes -= slots[index].bytes
        if slots[index].oneway { slots[index].isDone = true } else { slots[index].ending = ending }
        if case .success(_, let byteCount)? = slots[index].ending { heldBytes += byteCount }
        advance()
    }

    /// Sends a progress report if it can be written immediately; otherwise drops it.
    public mutating func offer(_ id: CallID, _ parameters: Encoder) {
        guard output.isEmpty, unwrittenBytes == 0, sendableStream == id else { return }
        Reply.write(continues: true, into: &output, parameters)
    }

    /// The call with `more` that may send its next reply now: all earlier calls are answered and the output has room.
    @inline(__always) public var sendableStream: CallID? {
        guard hasRoom else { return nil }
        for index in slots.indices where !slots[index].oneway && !slots[index].isDone {
            guard slots[index].more, slots[index].ending == nil else { return nil }
            return CallID(number: nextNumber - UInt64(slots.count - index))
        }
        return nil
    }

    /// Empties ``output`` after the owner has taken its bytes.
    public mutating func outputTaken() {
        unwrittenBytes += output.count
        output.removeAll(keepingCapacity: output.capacity <= Self.idleBytesMax)
    }

    /// Records the number of unwritten bytes and encodes replies that fit now.
    public mutating func noteUnwritten(_ bytes: Int) {
        unwrittenBytes = bytes
        advance()
    }

    public func isRunning(_ id: CallID) -> Bool { index(of: id).map { slots[$0].isRunning } ?? false }

    /// Whether a call has not ended and accepts several replies.
    public func isStream(_ id: CallID) -> Bool { index(of: id).map { slots[$0].isRunning && slots[$0].more } ?? false }

    /// Number of calls that are started and not answered.
    public var runningCalls: Int { slots.count }

    /// Whether the connection can be closed as soon as its output is written.
    @inline(__always) public var isFinished: Bool {
        let noMoreCalls = input == .closed || (input == .ended && mayStart)
        return noMoreCalls && slots.allSatisfy { $0.oneway }
    }

    /// Whether the limits of pending calls and replies allow another call.
    @inline(__always) private var hasRoomForCalls: Bool {
        slots.count < limits.pipelinedCallsMax && hasRoom && heldBytes < limits.outboundBytesMax
    }

    @inline(__always) private var hasRoom: Bool { output.count + unwrittenBytes < limits.outboundBytesMax }

    private func index(of id: CallID) -> Int? {
        // IDs are consecutive, so the distance to the next ID gives the index from the end.
        let distance = Int(nextNumber - id.number)
        return distance <= slots.count ? slots.count - distance : nil
    }

    /// Encodes the replies of ended calls in call order while there is room.
    ///
    /// A oneway call blocks no other call.
    private mutating func advance() {
        for index in slots.indices where !slots[index].oneway && !slots[index].isDone {
            guard let ending = slots[index].ending, hasRoom else { break }
            switch ending {
            case .success(let parameters, let byteCount):
                heldBytes -= byteCount
                Reply.write(continues: false, into: &output, parameters)
            case .failure(let error): Reply.write(error, into: &output)
            }
            (slots[index].ending, slots[index].isDone) = (nil, true)
        }
        let done = slots.prefix { $0.isDone }.count
        if done > 0 { slots.removeFirst(done) }
    }
}

/// A frame that is parsed on another thread, because parsing it would delay other connections.
public struct LargeFrame: Sendable {
    public let id: ConnectionState.CallID
    public let bytes: [UInt8]
    let depthMax: Int
    let plainReader: ConnectionState.PlainReader?

    /// Parses the frame; the duration is proportional to its size.
    /// - Throws: `org.varlink.service.InvalidParameter`, whose parameter describes the mistake in the frame.
    public func request() throws(CallError) -> ConnectionState.Request {
        try ConnectionState.request(of: bytes.span, depthMax, plainReader).get()
    }
}

/// Resource limits of one connection; the defaults match those of other implementations.
public struct ConnectionLimits: Sendable, Equatable {
    /// Maximum size of a call in bytes, without its NUL; at this total size of unanswered calls, no further call is started.
    public var frameBytesMax = 1 << 20
    public var depthMax = 64
    /// Maximum number of calls that are started and not answered; reading pauses at this limit.
    public var pipelinedCallsMax = 64
    /// Maximum number of bytes of calls that are parsed in one batch; a call that exceeds it is parsed on another thread.
    public var batchBytesMax = 1 << 15
    /// Maximum number of bytes that wait for the peer to read them.
    ///
    /// One reply may exceed it. Later replies are encoded only after the buffer has drained below it.
    public var outboundBytesMax = 1 << 20

    public init(_ change: (inout Self) -> Void = { _ in }) { change(&self) }
}
