import Dispatch
import Varlink
import VarlinkNIO

/// A handler that answers a few calls itself and holds others for the test to answer.
final class TestHandler: VarlinkHandler {
    static let interface = """
        interface org.example.test
        method Echo(n: int) -> (n: int)
        method Hold(n: int) -> (n: int)
        method Big(bytes: int) -> (text: string)
        method Stream(n: ?int, count: ?int, bytes: ?int) -> (n: int, text: ?string)
        method Report(count: int, bytes: int) -> (n: int, text: ?string)
        method Join() -> (n: int)
        method Late(n: int) -> (n: int)
        method Fault() -> ()
        method Endless(n: ?int) -> ()
        error Refused ()
        error TooManyConnections ()
        error Stopping ()
        error Failed ()
        """

    struct Held: Sendable {
        let n: Int64
        let reply: ReplyHandle
    }

    /// Calls of Hold that wait for the test.
    let held = Signal<[Held]>([])
    /// Number of items that streams have sent.
    let sent = Signal(0)
    /// Number of streams that began and ended.
    let streams = Signal((begun: 0, ended: 0))
    /// The callers of Join, until they leave.
    let group = ReplyGroup<Int64>()
    /// Number of members that joined, and the positions at which members left.
    let memberships = Signal((begun: 0, ended: [Int64]()))
    /// Every received `n`, in order.
    let seen = Signal<[Int64]>([])
    let refusedUser: UInt32?
    /// Number of large frames whose parsing has begun.
    let largeReads = Signal(0)
    private let largeGate: DispatchSemaphore?

    /// - Parameter gate: blocks the parsing of each large frame.
    init(refusing user: UInt32? = nil, largeGate gate: DispatchSemaphore? = nil) {
        refusedUser = user
        largeGate = gate
    }

    func refusal(of peer: Peer) -> CallError? {
        peer.uid == refusedUser ? .permissionDenied : nil
    }

    /// The only frame that the fast parser accepts.
    static let plainFrame = Array(#"{"method":"org.example.test.Echo","parameters":{"n":123456789}}"#.utf8)

    func read(_ frame: Span<UInt8>) -> (any Sendable)? {
        if frame.count > 100_000 {
            largeReads.change { $0 += 1 }
            largeGate?.wait()
        }
        guard frame.count == Self.plainFrame.count else { return nil }
        for index in frame.indices where frame[index] != Self.plainFrame[index] { return nil }
        return Int64(-77)
    }

    func handle(read input: any Sendable, from peer: Peer, reply: ReplyHandle) {
        let n = input as? Int64 ?? 0
        seen.change { $0.append(n) }
        reply.succeed { $0 += Self.number(n) }
    }

    func handle(_ call: Call, from peer: Peer, reply: ReplyHandle) {
        let n = call.parameters["n"]?.int ?? 0
        seen.change { $0.append(n) }
        switch call.methodName {
        case "Echo": reply.succeed { $0 += Self.number(n) }
        case "Hold": held.change { $0.append(Held(n: n, reply: reply)) }
        case "Big":
            let text = String(repeating: "x", count: Int(call.parameters["bytes"]?.int ?? 0))
            reply.succeed { JSON.write([.init("text", .text(text))], into: &$0) }
        case "Stream":
            guard call.more else { return reply.fail(.expectedMore) }
            let text = String(repeating: "x", count: Int(call.parameters["bytes"]?.int ?? 0))
            stream(reply, count: call.parameters["count"]?.int ?? .max, text: text)
        case "Report": report(reply, count: call.parameters["count"]?.int ?? 0, bytes: call.parameters["bytes"]?.int ?? 0)
        case "Join": join(reply)
        case "Late": reply.stream { $0.end(Self.number(n)) }
        case "Fault": reply.stream { _ in throw PlainClient.SystemError("fault") }
        case "Endless": endless(reply)
        default: reply.fail(.methodNotImplemented(call.method))
        }
    }

    static func number(_ n: Int64) -> [UInt8] {
        Value.record([.init("n", .int(n))]).jsonBytes
    }

    private func stream(_ reply: ReplyHandle, count: Int64, text: String) {
        reply.stream { [self] stream in
            streams.change { $0.begun += 1 }
            defer { streams.change { $0.ended += 1 } }
            for n in 0..<count - 1 {
                let reply = Value.record([.init("n", .int(n)), .init("text", .text(text))])
                try await stream.send(ReplyFrame { reply.write(into: &$0) })
                sent.change { $0 += 1 }
            }
            stream.end(Self.number(count - 1))
        }
    }

    private func join(_ reply: ReplyHandle) {
        reply.stream { [self] stream in
            let membership = stream.membership(in: group)
            membership.begin(at: 0) { $0 += Self.number(0) }
            memberships.change { $0.begun += 1 }
            let position = try await membership.left()
            memberships.change { $0.ended.append(position) }
            stream.end(Self.number(position))
        }
    }

    /// Sends a number and a text to the group and waits until all members have received them or left.
    func tell(_ n: Int64, bytes: Int = 0) async {
        let isDone = Signal(false)
        let text = String(repeating: "x", count: bytes)
        group.send(leavingAt: n - 1, done: { isDone.change { $0 = true } }) {
            JSON.write([.init("n", .int(n)), .init("text", .text(text))], into: &$0)
        }
        await isDone.wait { $0 }
    }

    private func report(_ reply: ReplyHandle, count: Int64, bytes: Int64) {
        let text = String(repeating: "x", count: Int(bytes))
        reply.stream { [self] stream in
            for n in 0..<count {
                stream.offer {
                    JSON.write([.init("n", .int(n)), .init("text", .text(text))], into: &$0)
                }
            }
            stream.end(Self.number(count))
            streams.change { $0.ended += 1 }
        }
    }

    /// A stream that sends nothing and ends only when it is cancelled.
    private func endless(_ reply: ReplyHandle) {
        reply.stream { [self] _ in
            streams.change { $0.begun += 1 }
            defer { streams.change { $0.ended += 1 } }
            try await Task.sleep(for: .seconds(3_600))
        }
    }
}
