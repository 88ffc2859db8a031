import TodoAPI
import TodoClient
import Varlink

extension Client {
    /// The answer to a dispatch.
    struct Answer: Sendable, Equatable {
        var sequences: [Int64]
        var ids: [Int64]
        var isDuplicate: Bool

        init(_ parameters: Value) throws {
            guard let sequences = parameters["sequences"]?.list, let ids = parameters["ids"]?.list,
                let duplicate = parameters["duplicate"]?.bool
            else { throw Unexpected("no answer of a dispatch: \(parameters)") }
            self.sequences = sequences.compactMap(\.int)
            self.ids = ids.compactMap(\.int)
            isDuplicate = duplicate
        }
    }

    static func dispatch(_ actions: [Value], key: String? = nil) -> Value {
        var members: [Value.Field] = [.init("actions", .list(actions))]
        if let key { members.append(.init("key", .text(key))) }
        return .record(members)
    }

    /// Dispatches a batch and returns its answer, which must not be an error.
    @discardableResult
    func dispatch(_ actions: [Value], key: String? = nil) throws -> Answer {
        try Answer(call("org.todod.Store.Dispatch", Self.dispatch(actions, key: key)))
    }

    /// The name of a dispatch's error without its interface; "" if it was accepted.
    func refusal(_ actions: [Value], key: String? = nil) throws -> String {
        try Self.short(ask("org.todod.Store.Dispatch", Self.dispatch(actions, key: key)))
    }

    /// The name of the error without its interface; "" without an error.
    static func short(_ reply: Reply) -> String {
        reply.error?.split(separator: ".").last.map(String.init) ?? ""
    }

    /// The last sequence that is published.
    func sequence() throws -> Int64 { Int64(try call(PingMethod.self).sequence) }

    func status() throws -> Value { try call("org.todod.Admin.Status") }

    /// The whole state or a scope of it, from all pages.
    func state(_ scope: String? = nil) throws -> Value {
        let pages = try stream("org.todod.Store.GetState", scope.map { ["scope": .text($0)] } ?? [:])
        guard var whole = pages.first?["state"] else { throw Unexpected("no state") }
        let sequences = Set(pages.compactMap { $0["sequence"]?.int })
        guard sequences.count == 1 else { throw Unexpected("pages of several sequences: \(sequences)") }
        for page in pages.dropFirst() { whole.append(page: page["state"] ?? .null) }
        return whole
    }

    /// The records of the log.
    func log(from sequence: Int64? = nil) throws -> [Value] {
        let from: Value = sequence.map { ["from": ["sequence": .int($0)]] } ?? [:]
        return try stream("org.todod.History.Log", from).flatMap { $0["records"]?.list ?? [] }
    }

    /// The metrics by name.
    func metrics() throws -> [String: Double] {
        let lines = try call(MetricsMethod.self).text.split(separator: "\n").filter { !$0.hasPrefix("#") }
        let pairs = lines.compactMap { line -> (String, Double)? in
            guard let blank = line.lastIndex(of: " "), let value = Double(line[line.index(after: blank)...]) else { return nil }
            return (String(line[..<blank]), value)
        }
        return Dictionary(pairs) { $1 }
    }
}

extension Value {
    /// Appends the list elements of a further page.
    mutating func append(page: Value) {
        switch (self, page) {
        case (.list(var elements), .list(let more)):
            self = .null
            elements += more
            self = .list(elements)
        case (.record(var members), .record(let more)):
            self = .null
            for member in more {
                if let index = members.firstIndex(where: { $0.name == member.name }) {
                    members[index].value.append(page: member.value)
                } else {
                    members.append(member)
                }
            }
            self = .record(members)
        default: self = page
        }
    }

    /// The todos of a state.
    var todos: [Value] { self["todos"]?["items"]?.list ?? [] }

    /// Their titles.
    var titles: [String] { todos.compactMap { $0["title"]?.text } }
}
