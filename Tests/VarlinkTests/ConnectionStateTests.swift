import TestSupport
import Testing
import Varlink

struct ConnectionStateTests {
    private typealias CallID = ConnectionState.CallID

    /// Feeds frames and starts all available calls.
    private func start(_ texts: String..., on connection: inout ConnectionState) -> [CallID] {
        for text in texts {
            let bytes = Array((text + "\0").utf8)
            connection.received(bytes.span.bytes)
        }
        return startWaiting(on: &connection)
    }

    private func startWaiting(on connection: inout ConnectionState) -> [CallID] {
        connection.beginBatch()
        var ids: [CallID] = []
        while let started = connection.nextCall() { ids.append(started.id) }
        return ids
    }

    /// Takes the output as if the peer had read it immediately.
    private func written(by connection: inout ConnectionState) -> [String] {
        let frames = connection.output.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
        connection.outputTaken()
        connection.noteUnwritten(0)
        return frames
    }

    private func succeed(_ id: CallID, _ value: Int64, on connection: inout ConnectionState) {
        connection.end(id, .success({ JSON.write([.init("n", .int(value))], into: &$0) }))
    }

    private let call = #"{"method":"a.B"}"#
    private let oneway = #"{"method":"a.B","oneway":true}"#
    private let more = #"{"method":"a.B","more":true}"#

    @Test func `replies keep the order of the calls`() {
        var connection = ConnectionState()
        let ids = start(call, call, call, on: &connection)
        succeed(ids[2], 3, on: &connection)
        connection.end(ids[1], .failure(.expectedMore))
        #expect(written(by: &connection) == [])
        succeed(ids[0], 1, on: &connection)
        #expect(
            written(by: &connection)
                == [#"{"parameters":{"n":1}}"#, #"{"error":"org.varlink.service.ExpectedMore"}"#, #"{"parameters":{"n":3}}"#])
        #expect(connection.runningCalls == 0)
    }

    @Test func `a call ends only once`() {
        var connection = ConnectionState()
        let ids = start(call, call, on: &connection)
        succeed(ids[1], 2, on: &connection)
        succeed(ids[1], 3, on: &connection)
        succeed(ids[0], 1, on: &connection)
        connection.end(ids[0], .failure(.expectedMore))
        #expect(written(by: &connection) == [#"{"parameters":{"n":1}}"#, #"{"parameters":{"n":2}}"#])
    }

    @Test func `a oneway call gets no reply, not even an error, and blocks no other call`() {
        var connection = ConnectionState()
        let ids = start(oneway, oneway, call, on: &connection)
        connection.end(ids[0], .failure(.permissionDenied))
        succeed(ids[2], 3, on: &connection)
        #expect(written(by: &connection) == [#"{"parameters":{"n":3}}"#])
        #expect(connection.runningCalls == 2)
        succeed(ids[1], 2, on: &connection)
        #expect(connection.runningCalls == 0)
        #expect(written(by: &connection) == [])
    }

    @Test func `a stream sends after earlier replies and ends without continues`() {
        var connection = ConnectionState()
        let ids = start(call, more, on: &connection)
        #expect(connection.sendableStream == nil)
        connection.offer(ids[1]) { $0 += Array("{}".utf8) }
        succeed(ids[0], 1, on: &connection)
        #expect(connection.sendableStream == ids[1])
        #expect(written(by: &connection) == [#"{"parameters":{"n":1}}"#])
        connection.noteUnwritten(0)
        connection.offer(ids[1]) { $0 += Array("{}".utf8) }
        succeed(ids[1], 2, on: &connection)
        #expect(written(by: &connection) == [#"{"parameters":{},"continues":true}"#, #"{"parameters":{"n":2}}"#])
        connection.noteUnwritten(0)
        connection.offer(ids[1]) { $0 += Array("{}".utf8) }
        #expect(connection.output.isEmpty)
    }

    @Test func `a call without more never gets continues`() {
        var connection = ConnectionState()
        let ids = start(call, on: &connection)
        #expect(connection.sendableStream == nil)
        connection.offer(ids[0]) { $0 += Array("{}".utf8) }
        #expect(connection.output.isEmpty)
    }

    @Test func `the calls after a stream start when it has ended`() {
        var connection = ConnectionState()
        let ids = start(more, call, more, call, on: &connection)
        #expect(ids.count == 1)
        #expect(connection.sendableStream == ids[0])
        #expect(written(by: &connection) == [])
        succeed(ids[0], 1, on: &connection)
        let others = startWaiting(on: &connection)
        #expect(others.count == 2)
        succeed(others[1], 3, on: &connection)
        #expect(startWaiting(on: &connection).isEmpty, "its reply waits for the one before")
        succeed(others[0], 2, on: &connection)
        #expect(startWaiting(on: &connection).count == 1)
        #expect(
            written(by: &connection)
                == [#"{"parameters":{"n":1}}"#, #"{"parameters":{"n":2}}"#, #"{"parameters":{"n":3}}"#])
    }

    @Test func `reading stops while a call waits for a stream`() {
        var connection = ConnectionState()
        let ids = start(more, on: &connection)
        #expect(connection.wantsInput)
        #expect(start(call, on: &connection).isEmpty)
        #expect(!connection.wantsInput)
        #expect(connection.halfFrame == nil)
        succeed(ids[0], 1, on: &connection)
        #expect(startWaiting(on: &connection).count == 1)
        #expect(connection.wantsInput)
    }

    @Test func `a progress report is sent if the output is empty, and never waits`() {
        var connection = ConnectionState()
        let ids = start(more, on: &connection)
        connection.offer(ids[0]) { $0 += Array(#"{"n":1}"#.utf8) }
        connection.offer(ids[0]) { $0 += Array(#"{"n":2}"#.utf8) }
        connection.outputTaken()
        connection.offer(ids[0]) { $0 += Array(#"{"n":3}"#.utf8) }
        #expect(connection.output.isEmpty)
        connection.noteUnwritten(0)
        connection.offer(ids[0]) { $0 += Array(#"{"n":4}"#.utf8) }
        #expect(written(by: &connection) == [#"{"parameters":{"n":4},"continues":true}"#])
    }

    @Test func `reading stops at the pipelining limit and resumes when a call ends`() {
        var connection = ConnectionState(limits: ConnectionLimits { $0.pipelinedCallsMax = 2 })
        let ids = start(call, call, call, on: &connection)
        #expect(ids.count == 2)
        #expect(!connection.wantsInput)
        #expect(connection.halfFrame == nil)
        succeed(ids[0], 1, on: &connection)
        #expect(startWaiting(on: &connection).count == 1)
        #expect(!connection.wantsInput)
        succeed(ids[1], 2, on: &connection)
        #expect(connection.wantsInput)
    }

    @Test func `a frame that exceeds the batch is parsed elsewhere, and later calls wait`() throws {
        var connection = ConnectionState(limits: ConnectionLimits { $0.batchBytesMax = 40 })
        let ids = start(call, call, call, call, on: &connection)
        #expect(ids.count == 2)
        let next = connection.nextLargeFrame()
        let frame = try #require(next)
        #expect(String(decoding: frame.bytes, as: UTF8.self) == call)
        #expect(startWaiting(on: &connection).isEmpty)
        let further = connection.nextLargeFrame()
        #expect(further == nil)
        guard case .call(let read) = try frame.request() else { return }
        connection.setFlags(of: frame.id, more: read.more, oneway: read.oneway)
        succeed(frame.id, 3, on: &connection)
        #expect(startWaiting(on: &connection).isEmpty, "it has ended, but is not begun")
        connection.begun(frame.id)
        #expect(startWaiting(on: &connection).count == 1)
        for (index, id) in ids.enumerated() { succeed(id, Int64(index), on: &connection) }
        #expect(
            written(by: &connection)
                == [#"{"parameters":{"n":0}}"#, #"{"parameters":{"n":1}}"#, #"{"parameters":{"n":3}}"#])
    }

    @Test func `calls above the byte limit wait until one is answered`() {
        var connection = ConnectionState(limits: ConnectionLimits { $0.frameBytesMax = 30 })
        let ids = start(call, call, call, on: &connection)
        #expect(ids.count == 2)
        #expect(!connection.wantsInput)
        succeed(ids[1], 2, on: &connection)
        #expect(startWaiting(on: &connection).count == 1)
    }

    @Test func `nothing is encoded, started or read while the output is full`() {
        var connection = ConnectionState(limits: ConnectionLimits { $0.outboundBytesMax = 40 })
        let ids = start(call, call, call, more, on: &connection)
        for (index, id) in ids.dropLast().enumerated() { succeed(id, Int64(index), on: &connection) }
        #expect(connection.output.count == 46)
        #expect(!connection.wantsInput)
        #expect(start(call, on: &connection).isEmpty)
        connection.outputTaken()
        #expect(connection.unwrittenBytes == 46)
        connection.noteUnwritten(41)
        #expect(connection.output.isEmpty)
        #expect(connection.sendableStream == nil)
        connection.noteUnwritten(0)
        #expect(connection.output.count == 23)
        #expect(connection.sendableStream == ids[3])
        succeed(ids[3], 3, on: &connection)
        #expect(startWaiting(on: &connection).isEmpty)
        connection.outputTaken()
        connection.noteUnwritten(0)
        #expect(startWaiting(on: &connection).count == 1)
    }

    @Test(arguments: [
        ("no json", "message: no JSON value can go on like this (byte 0)"), ("[1]", "message: not an object"), ("{}", "method"),
        (String(repeating: "[", count: 100), "message: arrays and objects are nested too deep (byte 64)"),
        ("{\"method\":\"a.B\",\"parameters\":{\"a\":\"\u{1}\"}}", "message: a string holds a bare control character (byte 35)"),
    ])
    func `a malformed frame is answered in call order, and reading stops`(text: String, parameter: String) {
        var connection = ConnectionState()
        let ids = start(call, text, call, on: &connection)
        #expect(ids.count == 1)
        #expect(!connection.wantsInput)
        #expect(!connection.isFinished)
        succeed(ids[0], 1, on: &connection)
        var refusal: [UInt8] = []
        Reply(.invalidParameter(parameter)).write(into: &refusal)
        #expect(
            written(by: &connection)
                == [#"{"parameters":{"n":1}}"#, String(decoding: refusal.dropLast(), as: UTF8.self)])
        #expect(connection.isFinished)
    }

    @Test func `bytes that are not UTF-8 are refused`() {
        var connection = ConnectionState()
        let bytes = Array(#"{"method":""#.utf8) + [0xFF, 0x22, 0x7D, 0]
        connection.received(bytes.span.bytes)
        #expect(connection.nextCall() == nil)
        #expect(written(by: &connection).first?.contains("not UTF-8 (byte 11)") == true)
        #expect(connection.isFinished)
    }

    @Test func `a frame above the limit is refused before it is complete`() {
        var connection = ConnectionState(limits: ConnectionLimits { $0.frameBytesMax = 1_000 })
        let bytes = [UInt8](repeating: 0x20, count: 1_001)
        connection.received(bytes.span.bytes)
        #expect(connection.nextCall() == nil)
        #expect(written(by: &connection).first?.contains("longer than 1000 bytes") == true)
        #expect(connection.isFinished)
    }

    @Test func `an incomplete frame has a number until it is complete`() {
        var connection = ConnectionState()
        #expect(connection.halfFrame == nil)
        let half = Array(call.utf8.prefix(5))
        connection.received(half.span.bytes)
        _ = startWaiting(on: &connection)
        #expect(connection.halfFrame == 0)
        let rest = Array(call.utf8.dropFirst(5)) + [0] + half
        connection.received(rest.span.bytes)
        #expect(startWaiting(on: &connection).count == 1)
        #expect(connection.halfFrame == 1)
        let end = Array(call.utf8.dropFirst(5)) + [0]
        connection.received(end.span.bytes)
        #expect(startWaiting(on: &connection).count == 1)
        #expect(connection.halfFrame == nil)
    }

    @Test func `a half-closed peer gets its replies`() {
        var connection = ConnectionState()
        let ids = start(call, on: &connection)
        connection.inputEnded()
        #expect(!connection.wantsInput)
        #expect(!connection.isFinished)
        succeed(ids[0], 1, on: &connection)
        #expect(connection.isFinished)
        #expect(written(by: &connection) == [#"{"parameters":{"n":1}}"#])
    }

    @Test func `a closed input starts no calls but answers running ones`() {
        var connection = ConnectionState()
        let ids = start(call, on: &connection)
        connection.closeInput()
        #expect(start(call, on: &connection).isEmpty)
        #expect(!connection.isFinished)
        succeed(ids[0], 1, on: &connection)
        #expect(connection.isFinished)
    }

    @Test func `an upgrade is passed on to be refused, and the next call starts`() {
        var connection = ConnectionState()
        let ids = start(#"{"method":"a.B","upgrade":true}"#, call, on: &connection)
        #expect(ids.count == 2)
        connection.end(ids[0], .failure(.invalidParameter("upgrade")))
        succeed(ids[1], 1, on: &connection)
        #expect(
            written(by: &connection)
                == [
                    #"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"upgrade"}}"#,
                    #"{"parameters":{"n":1}}"#,
                ])
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `the state can be closed after random bytes`(seed: UInt64) {
        var generator = SeededGenerator(seed)
        for _ in 0..<2_000 {
            var connection = ConnectionState(
                limits: ConnectionLimits {
                    $0.frameBytesMax = 200
                    $0.pipelinedCallsMax = 4
                })
            var running: [CallID] = []
            for _ in 0..<8 {
                let bytes =
                    Bool.random(using: &generator)
                    ? Array([call, oneway, more].randomElement(using: &generator).map { ($0 + "\0").utf8 } ?? "".utf8)
                    : (0..<Int.random(in: 0...60, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator) }
                connection.received(bytes.span.bytes)
                running += startWaiting(on: &connection)
                if Bool.random(using: &generator), let id = running.randomElement(using: &generator) {
                    succeed(id, 0, on: &connection)
                }
                #expect(connection.runningCalls <= 5)
            }
            connection.closeInput()
            for id in running { succeed(id, 0, on: &connection) }
            #expect(connection.isFinished)
            #expect(connection.runningCalls == 0)
        }
    }
}
