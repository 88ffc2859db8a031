import Glibc
import Reducing
import TodoClient
import Varlink

/// The connections of a screen: calls are written without waiting, and their replies come with their tags.
///
/// On one connection calls are answered in their order, so what takes long has another one than what must not wait. When one is lost all are
/// closed: the daemon went away, and nothing that was asked is answered any more.
struct ScreenConnections {
    private struct Connection {
        let client: VarlinkClient
        /// Whose replies come next; `nil` of a call that nobody waits for any more.
        var awaited: [RequestTag?] = []
    }

    private enum Name: Hashable {
        case lane(ScreenCall.Lane)
        case own(RequestTag)
    }

    /// Replies that are read of one connection before others have their turn.
    private static let repliesMax = 16

    private let place: () throws(Failure) -> String
    private var socket = ""
    private var connections: [Name: Connection] = [:]
    private var isThere = false

    init(_ place: @escaping () throws(Failure) -> String) { self.place = place }

    /// What is polled.
    var descriptors: [Int32] { connections.values.map(\.client.descriptor) }

    /// Whether a reply has come that is not handed over yet, so that nothing is to be waited for.
    var hasReply: Bool { connections.values.contains { $0.client.hasReply } }

    /// Finds out whether the daemon answers.
    mutating func connect() -> ScreenEvent {
        close()
        do throws(Failure) {
            socket = try place()
            connections[.lane(.quick)] = Connection(client: try made())
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
        let name: Name = call.lane == .own ? .own(tag) : .lane(call.lane)
        do throws(Failure) {
            if connections[name] == nil { connections[name] = Connection(client: try made()) }
            connections[name]?.awaited.append(tag)
            do throws(VarlinkClientError) { try connections[name]?.client.send(call.frame) } catch {
                throw Failure(error, socket: socket)
            }
            return nil
        } catch {
            close()
            return .away(error)
        }
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
                if readable.contains(connection.client.descriptor) { try connection.client.receiveAvailable() }
                var count = 0
                while count < Self.repliesMax, connection.client.hasReply {
                    count += 1
                    if let event = taken(try connection.client.receive(), from: name) { events.append(event) }
                }
            } catch {
                close()
                return events + [.away(Failure(error, socket: socket))]
            }
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
        isThere = false
    }

    private func made() throws(Failure) -> VarlinkClient {
        do throws(VarlinkClientError) { return try VarlinkClient.trusted(socket) } catch { throw Failure(error, socket: socket) }
    }
}
