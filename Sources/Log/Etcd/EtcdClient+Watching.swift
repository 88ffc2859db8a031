internal import ChronicleValues
internal import Curl

/// An event of a watch.
public enum EtcdEvent: Sendable, Equatable {
    /// The watch has begun. Earlier changes are not reported.
    case begun
    /// A key was written.
    case put(EtcdEntry)
}

extension EtcdClient {
    /// Watches a key until `isEnough` returns true; throws if the member ends the watch before or is silent for too long.
    ///
    /// Events may be late or repeated. Read the key after an event instead of relying on it.
    public func watch(_ key: [UInt8], until isEnough: (EtcdEvent) -> Bool) async throws(EtcdError) {
        let endpoint = endpoint
        if neededToken != nil { _ = try await answer(to: .range(EtcdRange(key))) }
        let creation = Value.record([
            .init("key", .bytes(key)), .init("fragment", .bool(true)), .init("progress_notify", .bool(true)),
        ])
        let timeouts = HTTPTimeouts(connect: options.connectionTimeMax, silence: Self.silenceMax)
        let request = request(
            "watch", Value.record([.init("create_request", creation)]).jsonBytes, to: endpoint, timeouts, upTo: .max)
        let response: HTTPResponse
        do throws(HTTPError) { response = try await http.response(to: request) } catch { throw failure(error, at: endpoint) }
        var line: [UInt8] = []
        while let piece = try await piece(of: response, endpoint) {
            var rest = piece[...]
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                line += rest[..<end]
                rest = rest[(end + 1)...]
                for event in try events(line, endpoint) where isEnough(event) { return }
                line = []
            }
            line += rest
            guard line.count <= Self.eventBytesMax else {
                turnAway(from: endpoint)
                throw .unreadable("watch")
            }
        }
        turnAway(from: endpoint)
        throw .doubt("the watch has ended")
    }

    private func piece(of response: HTTPResponse, _ endpoint: Int) async throws(EtcdError) -> [UInt8]? {
        do throws(HTTPError) { return try await response.piece() } catch { throw failure(error, at: endpoint) }
    }

    private func events(_ line: [UInt8], _ endpoint: Int) throws(EtcdError) -> [EtcdEvent] {
        do throws(EtcdError) {
            let value = try? Value(parsing: line, limits: .ofMembers)
            try check(value?.cluster, endpoint)
            return try Self.events(value)
        } catch {
            turnAway(from: endpoint)
            throw error
        }
    }

    /// Maximum size of one message of a watch.
    static let eventBytesMax = 16 << 20

    /// Decodes the events in a message; a refused or cancelled watch also has the HTTP status 200.
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
        // PUT is the default type and omitted. Deletions and progress notifications are no events.
        events += (result["events"]?.list ?? []).filter { $0["type"] == nil }.compactMap { $0["kv"]?.entry.map(EtcdEvent.put) }
        return events
    }
}
