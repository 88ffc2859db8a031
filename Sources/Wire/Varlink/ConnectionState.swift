/// One connection of a server without its socket: bytes in, calls out, replies in, bytes out in the order of the calls.
///
/// Its owner feeds ``received(_:)``, begins a turn and starts what ``nextCall()`` gives until that is nil, ends each call once
/// with ``succeed(_:_:)`` or ``fail(_:_:)``, in any order and at any time, and writes ``output``. What is too large to be read
/// while other connections wait it takes from ``nextLargeFrame()``, reads elsewhere, and says when it has begun it. A reply that is not its
/// call's turn, or for which there is no room, waits as the closure that will encode it, so that a reader who stops
/// costs at most the outbound limit and one reply. What stands behind a call with `more` waits as bytes until that call
/// is answered: a stream may never end, and whatever was begun behind it would hold its answer as long.
public struct ConnectionState: Sendable {
    /// Writes the parameters of a reply, one JSON object.
    public typealias Encoder = @Sendable (inout [UInt8]) -> Void

    /// Names a call that was started on this connection.
    public struct CallID: Sendable, Hashable {
        let number: UInt64
    }

    /// A call to start.
    public struct StartedCall: Sendable {
        /// By which its end is told.
        public let id: CallID
        public let request: Request
    }

    public enum Request: Sendable {
        /// A call, read strictly.
        case call(Call)
        /// One that the service has read itself, with a single reply.
        case read(any Sendable)
    }

    /// Reads a frame, without its NUL, as a call that comes often, without a tree in between.
    ///
    /// Nil for every frame that is not plainly such a call with one reply; it is then read strictly.
    public typealias PlainReader = @Sendable (Span<UInt8>) -> (any Sendable)?

    private enum Ending: Sendable {
        case success(Encoder, byteCount: Int)
        case failure(CallError)
        /// Its reply is in the output, or it never gets one.
        case done
    }

    private struct Slot: Sendable {
        var more = false
        var oneway = false
        /// Those of its frame.
        var bytes = 0
        var ending: Ending?

        var isDone: Bool {
            if case .done = ending { true } else { false }
        }
    }

    private enum Input: Sendable {
        case open
        /// No more bytes come; calls that are here whole are still started.
        case ended
        /// Nothing more is started.
        case closed
    }

    /// What an empty output may keep allocated.
    private static let idleBytesMax = 4_096

    public let limits: ConnectionLimits

    /// Frames of replies, to be written to the peer as they are.
    public private(set) var output: [UInt8] = []

    /// Bytes that were taken from ``output`` and are not written yet, as the owner last told.
    public private(set) var unwrittenBytes = 0

    /// Whether the peer sent something that can't be read on, and was told so.
    public private(set) var hasRefusedInput = false

    private var input = Input.open
    private var decoder: FrameDecoder
    private var slots: [Slot] = []
    /// Bytes of replies that wait for their turn.
    private var heldBytes = 0
    private var nextNumber: UInt64 = 1
    private var framesRead: UInt64 = 0
    /// Bytes of calls that were started and have not ended.
    private var startedBytes = 0
    /// Bytes that were read in this turn.
    private var turnBytes = 0
    /// Whether a frame is being read elsewhere.
    private var isReading = false

    private let plainReader: PlainReader?

    /// Begins a connection.
    public init(limits: ConnectionLimits = ConnectionLimits(), plainReader: PlainReader? = nil) {
        self.limits = limits
        self.plainReader = plainReader
        decoder = FrameDecoder(frameBytesMax: limits.frameBytesMax)
    }
}

// MARK: - Bytes and calls in

extension ConnectionState {
    /// Takes bytes as they came from the peer.
    public mutating func received(_ bytes: RawSpan) {
        guard input == .open else { return }
        decoder.append(bytes)
    }

    /// Takes note that no more bytes come: calls that are here whole are still started and answered.
    public mutating func inputEnded() {
        if input == .open { input = .ended }
    }

    /// Starts no further call; those that are started are still answered.
    public mutating func closeInput() {
        input = .closed
        decoder.discard()
    }

    /// Begins a turn, in which so much is read as ``ConnectionLimits/turnBytesMax`` says.
    public mutating func beginTurn() {
        turnBytes = 0
    }

    /// The next call to start, nil when there is none in this turn: ask again in the next, after bytes came or a call ended.
    public mutating func nextCall() -> StartedCall? {
        guard let bytes = nextBytes(), turnBytes + bytes <= limits.turnBytesMax else { return nil }
        turnBytes += bytes
        switch nextFrame() {
        case nil: return nil
        case .failure(let error):
            refuseInput(error)
            return nil
        case .success(.read(let input)): return StartedCall(id: begin(Slot(bytes: bytes)), request: .read(input))
        case .success(.call(let call)):
            let id = begin(Slot(more: call.more, oneway: call.oneway, bytes: bytes))
            return StartedCall(id: id, request: .call(call))
        }
    }

    /// The next frame if it has more bytes than are left of this turn.
    ///
    /// Nothing behind it is begun before ``begun(_:)`` or ``refuse(_:_:)`` is told of it.
    public mutating func nextLargeFrame() -> LargeFrame? {
        guard let bytes = nextBytes(), turnBytes + bytes > limits.turnBytesMax,
            let frame = try? decoder.take()
        else { return nil }
        framesRead += 1
        isReading = true
        return LargeFrame(id: begin(Slot(bytes: bytes)), bytes: frame, depthMax: limits.depthMax, plainReader: plainReader)
    }

    /// Takes note of what a large frame asks for, before the call is started.
    public mutating func take(_ call: Call, as id: CallID) {
        guard let index = index(of: id) else { return }
        slots[index].more = call.more
        slots[index].oneway = call.oneway
    }

    /// Takes note that the call of a large frame was started, whether or not it has ended.
    public mutating func begun(_ id: CallID) {
        isReading = false
    }

    /// Answers a large frame that can't be read, in its turn, and starts nothing more.
    public mutating func refuse(_ id: CallID, _ error: CallError) {
        isReading = false
        closeInput()
        hasRefusedInput = true
        fail(id, error)
    }

    private mutating func begin(_ slot: Slot) -> CallID {
        slots.append(slot)
        startedBytes += slot.bytes
        defer { nextNumber += 1 }
        return CallID(number: nextNumber)
    }

    /// How many bytes the frame has that may be read now.
    private mutating func nextBytes() -> Int? {
        // First what mostly ends it: asked after each call and each reply, and then nothing more is here.
        guard decoder.bufferedBytes > 0, input != .closed, mayStart else { return nil }
        do {
            return try decoder.nextBytes()
        } catch {
            refuseInput(.invalidParameter("message: longer than \(error.frameBytesMax) bytes"))
            return nil
        }
    }

    /// Answers with an error that belongs to no whole call, in its turn, and starts nothing more.
    public mutating func refuseInput(_ error: CallError) {
        guard input != .closed else { return }
        closeInput()
        hasRefusedInput = true
        _ = begin(Slot(ending: .failure(error)))
        advance()
    }

    // What is asked after every call is inlined into the shell: it would lend a copy of all this to a getter of another module.

    /// Whether more bytes should be read from the peer.
    ///
    /// Behind a stream, and behind much that is not answered, they are read until some wait, so that little of what can't be
    /// begun lies here.
    @inline(__always)
    public var wantsInput: Bool {
        input == .open && hasRoomForCalls
            && (!isHeldUp || decoder.bufferedBytes == 0)
    }

    /// The number of the frame of which only a part is here, nil if there is none.
    ///
    /// While a limit keeps calls from being started nothing is said of frames: it is not the peer who is late.
    @inline(__always)
    public var halfFrame: UInt64? {
        wantsInput && decoder.bufferedBytes > 0 ? framesRead : nil
    }

    @inline(__always)
    private var mayStart: Bool {
        hasRoomForCalls && !isHeldUp
    }

    /// Whether nothing is begun before something else is begun or answered.
    @inline(__always)
    private var isHeldUp: Bool { isStreaming || isReading || startedBytes >= limits.startedBytesMax }

    /// Whether the last call has `more` and is not answered; nothing is begun behind it, so no other can be such a call.
    @inline(__always)
    private var isStreaming: Bool { slots.last.map { $0.more && !$0.isDone } ?? false }

    private mutating func nextFrame() -> Result<Request, CallError>? {
        let (depthMax, plainReader) = (limits.depthMax, plainReader)
        let parsed = try? decoder.next { Self.request(of: $0, depthMax, plainReader) }
        if parsed != nil { framesRead += 1 }
        return parsed
    }

    /// Reads a frame, without its NUL.
    static func request(of frame: Span<UInt8>, _ depthMax: Int, _ plainReader: PlainReader?) -> Result<Request, CallError> {
        if let read = plainReader?(frame) { return .success(.read(read)) }
        return Result { () throws(CallError) in .call(try Call(parsing: frame, depthMax: depthMax)) }
    }
}

// MARK: - Replies and bytes out

extension ConnectionState {
    /// Ends a call with a result.
    ///
    /// A call that has ended already stays as it is.
    ///
    /// - Parameter byteCount: what the reply holds in memory until its turn comes.
    public mutating func succeed(_ id: CallID, byteCount: Int = 0, _ parameters: @escaping Encoder) {
        end(id, .success(parameters, byteCount: byteCount))
    }

    /// Ends a call with an error.
    ///
    /// A call that has ended already stays as it is.
    public mutating func fail(_ id: CallID, _ error: CallError) {
        end(id, .failure(error))
    }

    /// Sends a progress report if it is the call's turn and the report can be written at once; otherwise drops it.
    public mutating func offer(_ id: CallID, _ parameters: Encoder) {
        guard output.isEmpty, unwrittenBytes == 0, streamInTurn == id else { return }
        Reply.writeItem(into: &output, parameters)
    }

    /// The call with `more` that may send its next reply now: its turn has come and there is room.
    @inline(__always)
    public var streamInTurn: CallID? {
        guard hasRoom else { return nil }
        for index in slots.indices where !slots[index].oneway && !slots[index].isDone {
            guard slots[index].more, slots[index].ending == nil else { return nil }
            return CallID(number: nextNumber - UInt64(slots.count - index))
        }
        return nil
    }

    /// Empties ``output`` after its bytes were handed on.
    public mutating func outputTaken() {
        unwrittenBytes += output.count
        if output.capacity > Self.idleBytesMax {
            output = []
        } else {
            output.removeAll(keepingCapacity: true)
        }
    }

    /// Takes note of how many bytes are not written yet; encodes replies for which there is now room.
    public mutating func noteUnwritten(_ bytes: Int) {
        unwrittenBytes = bytes
        advance()
    }

    /// Whether a call has not ended.
    public func isRunning(_ id: CallID) -> Bool {
        guard let index = index(of: id) else { return false }
        return slots[index].ending == nil
    }

    /// Whether a call has not ended and takes several replies.
    public func isStream(_ id: CallID) -> Bool {
        guard let index = index(of: id) else { return false }
        return slots[index].ending == nil && slots[index].more
    }

    /// How many calls were started and are not answered.
    public var runningCalls: Int { slots.count }

    /// Whether nothing more can happen: close as soon as the output is written.
    @inline(__always)
    public var isFinished: Bool {
        let noMoreCalls = input == .closed || (input == .ended && mayStart)
        return noMoreCalls && slots.allSatisfy { $0.oneway }
    }

    /// Whether one more call may begin, by the calls and replies that wait.
    @inline(__always)
    private var hasRoomForCalls: Bool {
        slots.count < limits.pipelinedCallsMax && hasRoom && heldBytes < limits.outboundBytesMax
    }

    @inline(__always)
    private var hasRoom: Bool { output.count + unwrittenBytes < limits.outboundBytesMax }

    private mutating func end(_ id: CallID, _ ending: Ending) {
        guard let index = index(of: id), slots[index].ending == nil else { return }
        startedBytes -= slots[index].bytes
        slots[index].ending = slots[index].oneway ? .done : ending
        if case .success(_, let byteCount)? = slots[index].ending { heldBytes += byteCount }
        advance()
    }

    private func index(of id: CallID) -> Int? {
        // Numbers are given in order, so the slot of a call is found by how far it is from the end.
        let distance = Int(nextNumber - id.number)
        return distance <= slots.count ? slots.count - distance : nil
    }

    /// Encodes what has ended and is in turn, as long as there is room.
    ///
    /// A oneway call holds up nobody.
    private mutating func advance() {
        for index in slots.indices where !slots[index].oneway {
            guard let ending = slots[index].ending, slots[index].isDone || hasRoom else { break }
            switch ending {
            case .success(let parameters, let byteCount):
                heldBytes -= byteCount
                Reply.writeResult(into: &output, parameters)
            case .failure(let error): Reply.write(error, into: &output)
            case .done: continue
            }
            slots[index].ending = .done
        }
        let done = slots.prefix { $0.isDone }.count
        if done > 0 { slots.removeFirst(done) }
    }
}
