internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1
internal import Values

/// What a watch tells.
public enum EtcdEvent: Sendable, Equatable {
    /// It has begun: whatever was written before this is told by nobody.
    case begun
    /// A key was written.
    case put(EtcdEntry)
    /// Something else: a key was removed, or nothing happened.
    case other
}

extension EtcdClient {
    /// Tells what happens to a key from now on, until that is enough; throws when the member ends it before, or is silent for too long.
    ///
    /// What is told may come again, and late: it is a reason to look, and nothing to rely on.
    public func watch(_ key: [UInt8], until isEnough: (EtcdEvent) -> Bool) async throws(EtcdError) {
        let endpoint = endpoint
        if neededToken != nil { _ = try await answer(to: .range(EtcdRange(key))) }
        do {
            let creation = Value.record([
                .init("key", .bytes(key)), .init("fragment", .bool(true)), .init("progress_notify", .bool(true)),
            ])
            var request = HTTPClientRequest(url: address(of: endpoint, "watch"))
            request.method = .POST
            request.headers = headers
            request.body = .bytes(Value.record([.init("create_request", creation)]).jsonBytes)
            let response = try await http.execute(request, deadline: .distantFuture)
            var line: [UInt8] = []
            for try await piece in response.body {
                for byte in piece.readableBytesView {
                    guard byte == UInt8(ascii: "\n") else {
                        line.append(byte)
                        guard line.count <= Self.eventBytesMax else { throw EtcdError.unreadable("watch") }
                        continue
                    }
                    let value = try? Value(parsing: line, limits: .ofMembers)
                    try check(value?.cluster, endpoint)
                    // Who leaves the stream ends it.
                    for event in try Self.events(value) where isEnough(event) { return }
                    line = []
                }
            }
        } catch let error as EtcdError {
            turnAway(from: endpoint)
            throw error
        } catch {
            throw failure(error, at: endpoint)
        }
        turnAway(from: endpoint)
        throw .doubt("the watch has ended")
    }

    /// Bytes of one message of a watch.
    static let eventBytesMax = 16 << 20

    /// The events in a message.
    ///
    /// A watch that is refused, or ended, is answered with 200, and so is the word that it is.
    static func events(_ message: Value?) throws(EtcdError) -> [EtcdEvent] {
        guard let value = message else { throw .unreadable("watch") }
        guard let result = value["result"] else {
            let message = value["error"]?["message"]?.text ?? value["error"]?.text ?? "the watch was refused"
            throw .doubt(message.asLine)
        }
        guard result["canceled"]?.bool != true else {
            throw .doubt((result["cancel_reason"]?.text ?? "the watch was cancelled").asLine)
        }
        var events: [EtcdEvent] = result["created"]?.bool == true ? [.begun] : []
        for event in result["events"]?.list ?? [] {
            // The type of a put is the first, and left out.
            if event["type"] == nil, let entry = event["kv"]?.entry { events.append(.put(entry)) } else { events.append(.other) }
        }
        return events.isEmpty ? [.other] : events
    }
}
