import Chronicle
import Glibc
import TodoAPI
import TodoClient
import Varlink

/// The connections of a screen; calls and replies are matched by tags.
///
/// Unsent bytes are buffered up to a limit, so that keys keep working. Each connection answers calls in order, so slow queries
/// have their own. If one connection is lost, all are closed and all calls are dropped.
struct ScreenConnections {
    private struct Connection {
        let client: VarlinkClient
        var awaited: [RequestTag?] = []
        /// When the connection last sent to an idle daemon or received, in monotonic time.
        var touchedAt: Int64
        var wasHeard = false

        /// Sends a call after earlier unsent bytes, as far as possible without blocking.
        func send(_ frame: [UInt8] = []) throws(VarlinkClientError) {
            try client.sendAvailable(frame)
            guard client.unsent.count <= ScreenConnections.unsentBytesMax else { throw .timedOut }
        }
    }

    private enum Name: Hashable {
        case lane(ScreenCall.Lane)
        case own(RequestTag)
    }

    private static let repliesMax = 16

    /// With more unsent bytes, the daemon counts as unreachable.
    private static let unsentBytesMax = 1 << 20
    /// How long a reply may take before the screen says so, in microseconds.
    private static let silenceMax: Int64 = 3_000_000

    private let place: () throws(Failure) -> String
    private var socket = ""
    private var connections: [Name: Connection] = [:]
    private var isConnected = false
    private var isSilent = false

    init(_ place: @escaping () throws(Failure) -> String) { self.place = place }

    var polled: [(descriptor: Int32, events: Int32)] {
        connections.values.map { ($0.client.descriptor, $0.client.unsent.isEmpty ? POLLIN : POLLIN | POLLOUT) }
    }

    /// Whether buffered replies need no `poll`.
    var hasReply: Bool { connections.values.contains { $0.client.hasReply } }

    mutating func connect() -> ScreenEvent {
        close()
        do throws(Failure) {
            socket = try place()
            connections[.lane(.quick)] = Connection(client: try makeClient(), touchedAt: Clock.uptime())
            isConnected = true
            return .connected
        } catch { return .away(error) }
    }

    /// Sends a call.
    ///
    /// - Returns: `away` if the connection is lost.
    mutating func call(_ tag: RequestTag, _ call: ScreenCall) -> ScreenEvent? {
        forget(tag)
        guard isConnected else { return nil }
        return write(call.frame, of: tag, to: call.lane == .own ? .own(tag) : .lane(call.lane))
    }

    private mutating func write(_ frame: [UInt8], of tag: RequestTag?, to name: Name) -> ScreenEvent? {
        do throws(Failure) {
            if connections[name] == nil { connections[name] = Connection(client: try makeClient(), touchedAt: 0) }
        } catch { return lost(error) }
        if connections[name]?.awaited.isEmpty == true { connections[name]?.touchedAt = Clock.uptime() }
        connections[name]?.wasHeard = false
        connections[name]?.awaited.append(tag)
        return write([name], frame)
    }

    mutating func send(writable: Set<Int32>) -> ScreenEvent? {
        write(connections.keys.filter { name in connections[name].map { writable.contains($0.client.descriptor) } ?? false })
    }

    private mutating func write(_ names: [Name], _ frame: [UInt8] = []) -> ScreenEvent? {
        for name in names {
            do throws(VarlinkClientError) { try connections[name]?.send(frame) } catch {
                return lost(Failure(error, socket: socket))
            }
        }
        return nil
    }

    private mutating func lost(_ failure: Failure) -> ScreenEvent {
        close()
        return .away(failure)
    }

    /// When `checkSilence` must run next, in monotonic time; `nil` for never.
    var checkSilenceAt: Int64? { owing.map { $0.touchedAt + Self.silenceMax }.min() }

    // The connections that owe a reply. Endless streams owe nothing after their first reply, and a silent daemon is reported
    // once.
    private var owing: [Connection] {
        isSilent ? [] : connections.values.filter { !$0.awaited.isEmpty && !($0.wasHeard && $0.client.descriptor != quick) }
    }

    private var quick: Int32? { connections[.lane(.quick)]?.client.descriptor }

    /// Reports a daemon that has not replied for long.
    ///
    /// If a slow query is late, sends a ping first.
    mutating func checkSilence() -> [ScreenEvent] {
        let limit = Clock.uptime() - Self.silenceMax
        let late = owing.filter { $0.touchedAt <= limit }
        guard !late.isEmpty else { return [] }
        if late.contains(where: { $0.client.descriptor == quick }) {
            isSilent = true
            return [.silent(Failure(.timedOut, socket: socket))]
        }
        for (name, connection) in connections where connection.touchedAt <= limit {
            connections[name]?.touchedAt = Clock.uptime()
        }
        let frame = PingMethod.frame(NoFields())
        return [write(frame, of: nil, to: .lane(.quick))].compactMap { $0 }
    }

    mutating func forget(_ tag: RequestTag) {
        if connections.removeValue(forKey: .own(tag)) != nil { return }
        for (name, connection) in connections {
            for (index, awaited) in connection.awaited.enumerated() where awaited == tag {
                connections[name]?.awaited[index] = nil
            }
        }
    }

    mutating func take(readable: Set<Int32>) -> [ScreenEvent] {
        var events: [ScreenEvent] = []
        for (name, connection) in connections {
            do throws(VarlinkClientError) {
                if readable.contains(connection.client.descriptor) {
                    try connection.client.receiveAvailable()
                    connections[name]?.touchedAt = Clock.uptime()
                    connections[name]?.wasHeard = true
                    if isSilent { events.append(.heard) }
                    isSilent = false
                }
                var count = 0
                while count < Self.repliesMax, connection.client.hasReply {
                    count += 1
                    if let event = taken(try connection.client.receive(), from: name) { events.append(event) }
                }
            } catch { return events + [lost(Failure(error, socket: socket))] }
        }
        return events
    }

    private mutating func taken(_ reply: Reply, from name: Name) -> ScreenEvent? {
        // An unexpected reply violates the protocol and is ignored.
        guard let tag = connections[name]?.awaited.first else { return nil }
        if !reply.continues {
            connections[name]?.awaited.removeFirst()
            if case .own = name { connections[name] = nil }
        }
        guard let tag else { return nil }
        let result: Result<[Value.Field], Failure> =
            if let error = reply.error {
                .failure(Failure(CallError(error, reply.parameters), socket: socket))
            } else { .success(reply.parameters) }
        return .reply(tag, ScreenReply(result: result, continues: reply.continues))
    }

    private mutating func close() {
        connections = [:]
        (isConnected, isSilent) = (false, false)
    }

    private func makeClient() throws(Failure) -> VarlinkClient {
        do throws(VarlinkClientError) { return try VarlinkClient.trusted(socket, patience: 1) } catch {
            throw Failure(error, socket: socket)
        }
    }
}
