import Chronicle
import ChronicleLog
import ChronicleStore
import Expressions
import TimeTravel
import TodoAPI
import VarlinkNIO

extension DaemonService {
    func log(_ input: LogMethod.Input, from peer: Peer, _ reply: ReplyHandle) throws(APIError) {
        guard reply.more else { throw .expectedMore }
        guard (input.search?.utf8.count ?? 0) <= LogMethod.searchBytesMax else { throw .invalidParameter("search") }
        let query = LogQuery(
            from: try input.from?.moment("from"), to: try input.to?.moment("to"),
            limit: Int(clamping: input.limit ?? .max), feature: input.feature, actions: input.action.map { [$0.asName] } ?? [],
            origin: input.origin,
            search: input.search,
            condition: try input.where.map { text throws(APIError) in try Expression(sent: text, of: App.shape, on: .change) },
            path: try input.path.map { text throws(APIError) in try Path(sent: text, of: App.shape) },
            order: input.reverse == true ? .reverse : .forward, showsChanges: input.changes == true,
            groupsTyping: input.runs == true)
        try checkNames(in: query)
        answer(reply) { [history] stream in
            var cursor = try await history.log(query)
            let empty = LogMethod.Output(records: [], details: query.showsChanges || query.groupsTyping ? [] : nil)
            var (page, bytes) = (empty, 0)
            while cursor.hasMore {
                for entry in try await history.page(of: &cursor) {
                    if page.records.count >= AnswerLimits.pageElementsMax || bytes >= AnswerLimits.pageBytesMax {
                        try await stream.send(page)
                        (page, bytes) = (empty, 0)
                    }
                    bytes += page.add(entry, tellsTyping: query.groupsTyping)
                }
                guard cursor.hasMore else { break }
                // A long search sends its results immediately.
                if page.records.isEmpty { page.reached = cursor.reached }
                try await stream.send(page)
                (page, bytes) = (empty, 0)
            }
            stream.end(page)
        }
    }

    func diff(_ input: DiffMethod.Input, from peer: Peer, _ reply: ReplyHandle) throws(APIError) {
        let (from, to) = (try input.from.moment("from"), try input.to.moment("to"))
        let path = try input.path.map { text throws(APIError) in try Path(sent: text, of: App.shape) }
        let (more, isPatch) = (reply.more, input.patch == true)
        answer(reply) { [history, unread] stream in
            let differences = try await history.diff(from, to, at: path)
            try await unread.hold(differences.changes, for: peer.uid) {
                try await stream.end(list: differences.changes, inPages: more, bytes: \.approximateBytes) {
                    DiffMethod.Output(differences, $0, isPatch: isPatch)
                }
            }
        }
    }

    /// Refuses a query with an unknown feature or action, which would never match.
    func checkNames(in query: LogQuery) throws(APIError) {
        if let feature = query.feature?.asName, !scopes.features.contains(feature) {
            throw .unknownFeature(feature, known: scopes.features)
        }
        if scopes.areOfFeatures, let action = query.unknownActions(among: actionNames).first {
            throw .unknownAction(action.asName, of: query.feature, known: actionNames)
        }
    }
}

extension LogMethod.Output {
    /// Returns the approximate bytes of the entry.
    fileprivate mutating func add(_ entry: LogEntry<some DaemonApp>, tellsTyping: Bool) -> Int {
        let record = RecordMessage(entry.record)
        records.append(record)
        guard details != nil else { return record.approximateBytes }
        let changes = entry.changes?.fitting()
        details?.append(
            LogDetailMessage(first: entry.first, changes: changes, typing: tellsTyping && entry.isTyping ? true : nil))
        return (changes ?? []).reduce(record.approximateBytes) { $0 + $1.approximateBytes }
    }
}

extension DiffMethod.Output {
    fileprivate init(_ differences: Differences, _ page: [Change], isPatch: Bool) {
        self.init(
            from: differences.from, to: differences.to, changes: isPatch ? nil : page,
            patch: isPatch ? PatchOperation.operations(of: page).map(\.value) : nil)
    }
}
