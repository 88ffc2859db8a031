import Chronicle
import Glibc
import TodoAPI
import TodoClient
import Varlink

/// The connections of a screen: calls are written without waiting, and their replies come with their tags.
///
/// What a daemon that reads nothing has no room for is kept, up to a limit, and written when there is room, so that the keys go on.
/// On one connection calls are answered in their order, so what takes long has another one than what must not wait. When one is lost all are
/// closed: the daemon went away, and nothing that was asked is answered any more.
struct ScreenConnections {
    private struct Connection {
        let client: VarlinkClient
        /// Whose replies come next; `nil` of a call that nobody waits for any more.
        var awaited: [RequestTag?] = []
        /// When something was asked or came last, by the clock that only grows.
        var touchedAt: Int64
        /// Whether anything came since something was asked last.
        var wasHeard = false

        /// Writes a call, and unsent bytes of earlier ones, as far as there is room.
        func send(_ frame: [UInt8] = []) throws(VarlinkClientError) {
            try client.sendAvailable(frame)
            guard client.unsent.count <= ScreenConnections.unsentBytesMax else { throw .timedOut }
        }
    }

    private enum Name: Hashable {
        case lane(ScreenCall.Lane)
        case own(RequestTag)
    }

    /// Replies that are read of one connection before others have their turn.
    private static let repliesMax = 16

    /// Bytes that are kept for a daemon that reads nothing; beyond them it counts as away.
    private static let unsentBytesMax = 1 << 20
    /// How long the daemon may owe an answer before that is told, in microseconds.
    private static let silenceMax: Int64 = 3_000_000

    private let place: () throws(Failure) -> String
    private var socket = ""
    private var connections: [Name: Connection] = [:]
    private var isThere = false
    private var isSilent = false

    init(_ place: @escaping () throws(Failure) -> String) { self.place = place }

    var polled: [(descriptor: Int32, events: Int32)] {
        connections.values.map { ($0.client.descriptor, $0.client.unsent.isEmpty ? POLLIN : POLLIN | POLLOUT) }
    }

    /// Whether a reply has come that is not handed over yet, so that nothing is to be waited for.
    var hasReply: Bool { connections.values.contains { $0.client.hasReply } }

    /// Finds out whether the daemon answers.
    mutating func connect() -> ScreenEvent {
        close()
        do throws(Failure) {
            socket = try place()
            connections[.lane(.quick)] = Connection(client: try made(), touchedAt: Clock.uptime())
            isThere = true
            return .connected
        } catch { return .away(error) }
    }

    /// Writes a call.
    ///
    /// - Returns: that the daemon is away, if it is.
    mutating func call(_ tag: RequestTag, _ call: ScreenCall) -> ScreenEvent? {
        forget(tag)
        guard isThere else { return nil }
        return write(call.frame, of: tag, to: call.lane == .own ? .own(tag) : .lane(call.lane))
    }

    private mutating func write(_ frame: [UInt8], of tag: RequestTag?, to name: Name) -> ScreenEvent? {
        do throws(Failure) {
            if connections[name] == nil { connections[name] = Connection(client: try made(), touchedAt: 0) }
        } catch { return lost(error) }
        if connections[name]?.awaited.isEmpty == true { connections[name]?.touchedAt = Clock.uptime() }
        connections[name]?.wasHeard = false
        connections[name]?.awaited.append(tag)
        return write([name], frame)
    }

    /// Writes what there was no room for to the descriptors that have some now.
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

    /// When `look` has something to say if nothing comes before; `nil`: never.
    var lookAt: Int64? { owing.map { $0.touchedAt + Self.silenceMax }.min() }

    // What streams without an end owes nothing once it has begun; of a daemon that is known to be silent nothing more is told.
    private var owing: [Connection] {
        isSilent ? [] : connections.values.filter { !$0.awaited.isEmpty && !($0.wasHeard && $0.client.descriptor != quick) }
    }

    private var quick: Int32? { connections[.lane(.quick)]?.client.descriptor }

    /// Tells that the daemon has owed an answer for long.
    ///
    /// Where it is a question that may take long, it is asked for a sign of life first.
    mutating func look() -> [ScreenEvent] {
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

    /// Forgets a call.
    mutating func forget(_ tag: RequestTag) {
        if connections.removeValue(forKey: .own(tag)) != nil { return }
        for (name, connection) in connections {
            for (index, awaited) in connection.awaited.enumerated() where awaited == tag {
                connections[name]?.awaited[index] = nil
            }
        }
    }

    /// Reads what has come on the descriptors that can be read, and gives some of the replies.
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
        // A reply that nobody awaits is that of a daemon that speaks another protocol; it says nothing.
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
        (isThere, isSilent) = (false, false)
    }

    private func made() throws(Failure) -> VarlinkClient {
        do throws(VarlinkClientError) { return try VarlinkClient.trusted(socket, patience: 1) } catch {
            throw Failure(error, socket: socket)
        }
    }
}
