import TodoAPI
import Varlink

/// Follows the log from its last records on, and shows those that are wanted.
struct LogFollower {
    let session: Session
    let verb: Log

    func run() throws(Failure) {
        let first = try first()
        let table = RecordLines(zone: session.zone, paint: session.paint)
        // What a record changed is asked for while the other connection streams.
        let changes = Client(socket: session.client.socket)
        let input = SubscribeMethod.Input(scope: verb.feature, from: first, kind: "records")
        try session.client.stream(Frame.call(SubscribeMethod.self, input, more: true), isLive: true) { members throws(Failure) in
            if session.isJSON {
                session.output.json(members)
            } else {
                for record in members["records"]?.array ?? [] where isWanted(record) {
                    session.show(table.lines(record, verb.diff ? try detail(of: record, changes) : [:]))
                }
            }
            session.output.flush()
            return .more
        }
    }

    private func first() throws(Failure) -> Point? {
        if let from = verb.from { return try session.point(from, edge: .beginning) }
        let limit = verb.limit ?? 10
        guard limit > 0 else { return nil }
        let head = try session.client.call(PingMethod.self, NoFields()).sequence
        // Asked for, not computed: a compacted log may have fewer.
        let wanted = LogMethod.Input(
            limit: limit, feature: verb.feature, action: verb.action, origin: verb.origin, search: verb.search, reverse: true)
        let last = try session.research(LogMethod.self, wanted) { _ in false }
        let sequences = last.flatMap { $0["records"]?.array ?? [] }.compactMap { $0["sequence"]?.int }
        return Point(sequence: sequences.min().map { UInt64(clamping: $0) } ?? head + 1)
    }

    private func isWanted(_ record: JSON) -> Bool {
        if let origin = verb.origin, record["origin"]?.int != Int64(origin) { return false }
        let path = RecordLines.path(record)
        if let action = verb.action, path.joined(separator: ".") != action, path.last != action { return false }
        if let search = verb.search { return record["action"].map { Self.has(search.lowercased(), $0) } ?? false }
        return true
    }

    private static func has(_ text: String, _ json: JSON) -> Bool {
        switch json {
        case .string(let other): other.lowercased().contains(text)
        case .array(let elements): elements.contains { has(text, $0) }
        case .object(let members): members.contains { has(text, $0.value) }
        default: false
        }
    }

    private func detail(of record: JSON, _ client: Client) throws(Failure) -> JSON {
        guard let sequence = record["sequence"]?.int, sequence > 0 else { return [:] }
        let input = DiffMethod.Input(from: Point(sequence: UInt64(sequence - 1)), to: Point(sequence: UInt64(sequence)))
        let answer = try client.call(Frame.call(DiffMethod.self, input))
        return ["first": .int(sequence), "changes": answer["changes"] ?? []]
    }
}
