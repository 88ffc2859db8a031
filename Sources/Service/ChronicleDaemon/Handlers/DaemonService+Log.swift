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
            var page = LogPage(query)
            while cursor.hasMore {
                for entry in try await history.page(of: &cursor) {
                    if page.isFull { try await stream.send(page.takeOutput()) }
                    page.add(entry)
                }
                // A long search sends its results immediately.
                if cursor.hasMore { try await stream.send(page.takeOutput(reached: page.isEmpty ? cursor.reached : nil)) }
            }
            stream.end(page.takeOutput())
        }
    }
}

extension DaemonService {
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

private struct LogPage {
    private let tellsDetails: Bool
    private let groupsTyping: Bool
    private var records: [RecordMessage] = []
    private var details: [LogDetailMessage] = []
    private var bytes = 0

    init(_ query: LogQuery) {
        tellsDetails = query.showsChanges || query.groupsTyping
        groupsTyping = query.groupsTyping
    }

    var isEmpty: Bool { records.isEmpty }
    var isFull: Bool { records.count >= PageBuilder<RecordMessage>.elementsMax || bytes >= AnswerLimits.pageBytesMax }

    mutating func add(_ entry: LogEntry<some DaemonApp>) {
        let record = RecordMessage(entry.record)
        bytes += record.approximateBytes
        records.append(record)
        guard tellsDetails else { return }
        let changes = entry.changes?.fitting
        for change in changes ?? [] { bytes += change.approximateBytes }
        let isOpen = groupsTyping && entry.isTyping
        details.append(LogDetailMessage(first: entry.first, changes: changes, typing: isOpen ? true : nil))
    }

    mutating func takeOutput(reached: UInt64? = nil) -> LogMethod.Output {
        defer {
            records = []
            details = []
            bytes = 0
        }
        return LogMethod.Output(records: records, details: tellsDetails ? details : nil, reached: reached)
    }
}

extension DaemonService {
    func diff(_ input: DiffMethod.Input, from peer: Peer, _ reply: ReplyHandle) throws(APIError) {
        let (from, to) = (try input.from.moment("from"), try input.to.moment("to"))
        let path = try input.path.map { text throws(APIError) in try Path(sent: text, of: App.shape) }
        let (more, isPatch) = (reply.more, input.patch == true)
        answer(reply) { [history, heldAnswers] stream in
            let differences = try await history.diff(from, to, at: path)
            try await heldAnswers.hold(differences.changes, for: peer.uid) {
                try await stream.end(list: differences.changes, inPages: more, bytes: \.approximateBytes) {
                    DiffMethod.Output(differences, $0, isPatch: isPatch)
                }
            }
        }
    }
}

extension DiffMethod.Output {
    fileprivate init(_ differences: Differences, _ page: [Change], isPatch: Bool) {
        self.init(
            from: differences.from, to: differences.to, changes: isPatch ? nil : page,
            patch: isPatch ? PatchOperation.operations(of: page).map(\.value) : nil)
    }
}
