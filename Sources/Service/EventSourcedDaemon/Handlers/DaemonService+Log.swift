import Expressions
import Records
import Reducing
import StoreRuntime
import TimeTravel
import TodoAPI
import VarlinkNIO

extension DaemonService {
    func log(_ input: LogMethod.Input, from peer: Peer, _ reply: ReplyHandle) throws(APIError) {
        guard reply.more else { throw .expectedMore }
        let actions = input.action.map { [$0.asName] } ?? []
        try checkNames(in: RecordFilter(feature: input.feature, actions: actions))
        guard (input.search?.utf8.count ?? 0) <= LogMethod.searchBytesMax else { throw .invalidParameter("search") }
        let query = LogQuery(
            from: try input.from?.moment("from"), to: try input.to?.moment("to"),
            limit: Int(clamping: input.limit ?? .max), feature: input.feature, actions: actions,
            origin: input.origin,
            search: input.search,
            condition: try input.where.map { text throws(APIError) in try Expression(sent: text, of: App.shape, on: .change) },
            path: try input.path.map { text throws(APIError) in try Path(sent: text, of: App.shape) },
            order: input.reverse == true ? .reverse : .forward, showsChanges: input.changes == true,
            groupsTyping: input.runs == true)
        answer(reply) { [history] stream in
            var cursor = try await history.log(query)
            var page = LogPage(query)
            while cursor.hasMore {
                for entry in try await history.page(of: &cursor) {
                    if page.isFull { try await stream.send(page.takeOutput()) }
                    page.add(entry)
                }
                // Whoever follows a search through a long log wants to see what is found so far.
                if cursor.hasMore { try await stream.send(page.takeOutput(reached: page.isEmpty ? cursor.reached : nil)) }
            }
            stream.end(page.takeOutput())
        }
    }
}

/// One reply with records of the log.
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
    var isFull: Bool { records.count >= Pager<RecordMessage>.elementsMax || bytes >= AnswerLimits.pageBytesMax }

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
