import Glibc
import Testing
import TodoClient
import Varlink

@Suite(.ownThreads) struct BadFrameTests {
    struct Garbage: Sendable, CustomTestStringConvertible {
        var name: String
        var bytes: [UInt8]
        var testDescription: String { name }
    }

    private static func call(_ parameters: String) -> [UInt8] {
        Array(#"{"method":"org.todod.Store.Dispatch","parameters":\#(parameters)}"#.utf8) + [0]
    }

    static let garbage: [Garbage] = [
        Garbage(name: "no JSON", bytes: Array("GET / HTTP/1.1\r\n\r\n".utf8) + [0]),
        Garbage(name: "an empty frame", bytes: [0]),
        Garbage(name: "no object", bytes: Array("[1]".utf8) + [0]),
        Garbage(name: "half an object", bytes: Array(#"{"method":"org.todod.Admin.Ping""#.utf8) + [0]),
        Garbage(name: "a comma too many", bytes: Array(#"{"method":"org.todod.Admin.Ping",}"#.utf8) + [0]),
        Garbage(name: "the same name twice", bytes: call(#"{"key":"a","key":"b","actions":[{"counter":{"increment":{}}}]}"#)),
        Garbage(name: "an unknown member", bytes: Array(#"{"method":"org.todod.Admin.Ping","sudo":true}"#.utf8) + [0]),
        Garbage(
            name: "invalid UTF-8",
            bytes: Array(#"{"method":"org.todod.Store.Dispatch","parameters":{"key":""#.utf8) + [0xC3, 0x28] + Array(#""}}"#.utf8)
                + [0]),
        Garbage(
            name: "half a surrogate pair", bytes: call(#"{"actions":[{"todos":{"updateText":{"text":"\ud83d"}}}]}"#)),
        Garbage(
            name: "100 levels",
            bytes: call(#"{"actions":[\#(String(repeating: #"{"a":"#, count: 100))1\#(String(repeating: "}", count: 100))]}"#)),
        Garbage(
            name: "100,000 brackets", bytes: call(#"{"actions":\#(String(repeating: "[", count: 100_000))"#)),
        Garbage(
            name: "2 MiB",
            bytes: call(#"{"actions":[{"todos":{"updateText":{"text":"\#(String(repeating: "x", count: 2 << 20))"}}}]}"#)),
        Garbage(name: "2 MiB that end nowhere", bytes: [UInt8](repeating: 0x78, count: 2 << 20)),
    ]

    @Test(arguments: garbage)
    func `an unreadable frame is answered and its connection closed, and other connections continue`(garbage: Garbage) throws {
        let daemon = try Daemon.started()
        let (good, bad) = (try daemon.connect(), try daemon.connect())
        try good.dispatch([Actions.increment])
        // The daemon need not read beyond the limit, so sending the rest may fail.
        let rest = Background { [descriptor = bad.descriptor] in BadFrameTests.push(garbage.bytes, into: descriptor) }
        do {
            let reply = try bad.receive()
            #expect(reply.error == "org.varlink.service.InvalidParameter", "\(reply)")
            #expect(reply.continues == false)
        } catch VarlinkClientError.closed {
            // A reply is sent if possible. It may get lost if the peer is still sending.
            #expect(garbage.bytes.count > 1 << 20)
        }
        #expect(try bad.isClosed(seconds: 30))
        try rest.value()
        #expect(try good.sequence() == 1)
        #expect(try daemon.connect().dispatch([Actions.increment]).sequences == [2])
    }

    private static func push(_ bytes: [UInt8], into descriptor: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    @Test func `half a frame is closed after a timeout, and an idle connection is not`()
        throws
    {
        let daemon = try Daemon.started()
        let (idle, half) = (try daemon.connect(), try daemon.connect())
        try idle.dispatch([Actions.increment])
        try half.dispatch([Actions.increment])
        let begin = ContinuousClock.now
        try half.send(Array(#"{"method":"org.todod.Store.Dispatch","#.utf8))
        #expect(try half.isClosed(seconds: 30))
        let elapsed = begin.duration(to: .now)
        #expect(elapsed > .milliseconds(9_900) && elapsed < .seconds(25), "\(elapsed)")
        #expect(try idle.sequence() == 2)
    }

    @Test func `a call that arrives byte by byte is answered`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        for byte in Array(#"{"method":"org.todod.Admin.Ping"}"#.utf8) + [0] { try client.send([byte]) }
        #expect(try client.receive().error == nil)
    }

    @Test func `a wrong call is answered with a named error and the connection stays open`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        func error(_ method: String, _ parameters: Value = [:], more: Bool = false) throws -> String {
            try client.ask(method, parameters, more: more).error ?? ""
        }
        #expect(try error("org.todod.Admin.Ping", ["nonsense": 1]) == "org.varlink.service.InvalidParameter")
        #expect(try error("org.todod.Store.Dispatch") == "org.varlink.service.InvalidParameter")
        #expect(try error("org.todod.Store.Dispatch", ["actions": "all"]) == "org.varlink.service.InvalidParameter")
        #expect(try error("org.todod.Admin.Explode") == "org.varlink.service.MethodNotFound")
        #expect(try error("org.example.Explode") == "org.varlink.service.InterfaceNotFound")
        #expect(try error("org.todod.Store.Subscribe") == "org.varlink.service.ExpectedMore")
        #expect(
            try error("org.todod.Store.Subscribe", ["kind": "records", "speed": 2_000], more: true)
                == "org.varlink.service.InvalidParameter")
        #expect(try error("org.todod.Store.GetState", ["scope": "music"]) == "org.todod.Store.UnknownScope")
        #expect(try error("org.todod.Store.View", ["feature": "music"]) == "org.todod.Store.UnknownFeature")
        #expect(try error("org.todod.Store.GetState", ["epoch": 1]) == "org.todod.Store.EpochChanged")
        #expect(try error("org.todod.Admin.Ping") == "")
    }

    @Test func `a oneway call is never answered, not even with an error`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        try client.send("org.todod.Store.Dispatch", Client.dispatch([Actions.add("ab")]), oneway: true)
        try client.send("org.todod.Store.Dispatch", Client.dispatch([Actions.increment]), oneway: true)
        // The next answered call is the third, and its answer shows that the second was executed.
        #expect(try client.dispatch([Actions.increment]).sequences == [2])
        #expect(try client.state("counter")["counter"]?["count"] == 2)
    }
}
