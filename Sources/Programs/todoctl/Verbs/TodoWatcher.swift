import Chronicle
import Dates
import Glibc
import Terminal
import TodoAPI

/// Follows the todos that match a filter, across restarts of the daemon: as a live list on a terminal, otherwise as lines for
/// todos that enter, leave or change.
///
/// The filter is evaluated after each record and each minute, because todos become overdue with time.
final class TodoWatcher {
    private let session: Session
    private let words: [String]
    // Records arrive on a separate connection while the session's one reads.
    private let stream: Client
    // Set if the list is drawn on a terminal.
    private var screen: LiveScreen?
    private var epoch: UInt64 = 0
    private var sequence: UInt64 = 0
    // The shown todos in the order of the list; nil before the first read.
    private var shown: [Value]?
    private var count: UInt64 = 0
    private var blocking = Blocking()
    private var waiting = ""
    private var minute: Int64 = 0
    private var isAway = false

    init(_ words: [String], _ session: Session) throws(Failure) {
        self.words = words
        self.session = session
        stream = try session.client.another(patience: Client.followingPatience)
    }

    /// Ends with an error, or on a terminal with q or Esc.
    func run() throws(Failure) {
        // Report an invalid filter before the screen is taken.
        _ = try session.filter(words)
        stream.whileWaiting = { [self] descriptor throws(Failure) in try wait(on: descriptor) }
        defer { stream.whileWaiting = nil }
        screen = session.isJSON ? nil : LiveScreen.open()
        session.client.beginFollowing(telling: screen != nil)
        guard let screen else { return try follow() }
        defer { self.screen = nil }
        screen.redraw = { [unowned self] in draw() }
        for client in [stream, session.client] {
            screen.watch(client)
            // In the heading, because the next drawing would overwrite a message.
            client.onPresenceChange = { [self] isThere in
                isAway = !isThere
                draw()
            }
        }
        stream.onReconnect = { [self] () throws(Failure) in try refresh() }
        defer { stream.onReconnect = nil }
        do throws(Failure) { try follow() } catch {
            guard screen.isEnded else { throw error }
        }
    }

    private func follow() throws(Failure) {
        while true {
            try refresh()
            let input = { [self] in
                SubscribeMethod.Input(from: Point(sequence: sequence + 1), kind: "records", epoch: epoch)
            }
            do throws(Failure) {
                return try stream.follow(SubscribeMethod.self, input, isLive: true) { [self] answer throws(Failure) in
                    let reply = try answer.output()
                    // The last read may have included later records.
                    if reply.sequence > sequence { try refresh(through: reply.sequence, at: reply.time) }
                    return .more
                }
            } catch {
                // Pruned records are included in the next read.
                if case .prunedSequence = error.known { continue }
                guard let epoch = FollowState.changedEpoch(error) else { throw error }
                if screen == nil { FollowState.tellChange(to: epoch) }
                sequence = 0
            }
        }
    }

    /// Waits for the next record, and reads again every minute.
    private func wait(on descriptor: Int32) throws(Failure) {
        session.output.flush()
        while try !isReady(descriptor) {
            if Clock.now() / Self.minuteMicroseconds != minute { try refresh() }
            session.output.flush()
        }
    }

    /// Whether a descriptor can be read, after at most a second.
    ///
    /// - Throws: if a key ended the list.
    private func isReady(_ descriptor: Int32) throws(Failure) -> Bool {
        if let screen { return try screen.wait(on: descriptor, within: Self.pollMicroseconds) }
        var next = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&next, 1, Int32(Self.pollMicroseconds / 1_000)) > 0
    }

    private static let minuteMicroseconds: Int64 = 60_000_000
    // Maximum delay until a new minute is noticed.
    private static let pollMicroseconds: Int64 = 1_000_000

    /// Reads the matching todos, and shows what is new.
    ///
    /// - Parameters:
    ///   - minimum: the record that the read must include.
    ///   - time: the time of the change, in microseconds since 1970; `nil` for now.
    private func refresh(through minimum: UInt64? = nil, at time: Int64? = nil) throws(Failure) {
        minute = Clock.now() / Self.minuteMicroseconds
        let filter = try session.filter(words)
        var input = try TodoFilter.chosen(by: filter, .open).input(session)
        input.minimumSequence = minimum
        let (elements, page) = try session.elements(input) { $0 }
        (epoch, sequence) = (page.epoch, page.sequence)
        let old = shown
        (shown, count) = (elements, page.count ?? UInt64(elements.count))
        if screen != nil {
            let isAfter = elements.contains { $0["after"]?.list?.isEmpty == false }
            blocking = try isAfter || order == .urgency ? session.blocking() : Blocking()
            waiting = try session.waiting()
            return draw()
        }
        guard let old else { return begin(elements, page) }
        let changes = Self.changes(from: old, to: elements)
        guard !changes.isEmpty else { return }
        guard !session.isJSON else {
            return session.output.json(
                SubscribeMethod.Output(
                    epoch: epoch, sequence: sequence, time: time ?? Clock.now(), complete: true, changes: changes, records: [],
                    commands: [], skipped: 0))
        }
        let moment = session.moment(time ?? Clock.now()).text
        for line in changes.compactMap({ ChangeSentence.of($0, isUndo: false, paint: session.paint) }) {
            session.output.line("\(moment)  \(line)")
        }
    }

    /// Shows the first result.
    private func begin(_ elements: [Value], _ page: StatePage) {
        guard !session.isJSON else {
            var page = page
            page.state = ["todos": ["items": .list(elements)]]
            return session.output.json(page)
        }
        session.show(table(nil).lines(elements.compactMap(Todo.init)))
    }

    private var order: TodoOrder { Settings.user.order(option: nil) }

    private func table(_ width: Int?) -> TodoTable {
        TodoTable(paint: session.paint, now: session.now, width: width, blocking: blocking)
    }

    private func draw() {
        guard let screen else { return }
        let size = screen.size
        let urgency = Urgency(now: session.now, zone: session.zone, blocking: blocking, weights: Settings.user.file.weights)
        let todos = order.sorted((shown ?? []).compactMap(Todo.init), by: urgency.points(of:))
        let counts = List.heading(todos.count, of: count) + waiting
        let heading = Width.cut(Self.heading(counts, isAway: isAway), to: size.columns)
        screen.show([[PaintedText(heading, .bold)]] + table(size.columns).rows(todos))
    }

    /// The first line; the notice comes first so that it fits a narrow terminal.
    static func heading(_ counts: String, isAway: Bool) -> String {
        isAway ? "The daemon is away; q to quit. Last known: \(counts)" : counts
    }

    /// The todos that entered, left or changed; moves do not count.
    static func changes(from old: [Value], to new: [Value]) -> [Change] {
        let id = { (element: Value) in element["id"]?.int ?? 0 }
        let before = Dictionary(old.map { (id($0), $0) }) { first, _ in first }
        let after = Set(new.map(id))
        var changes: [Change] = []
        for (index, element) in old.enumerated() where !after.contains(id(element)) {
            changes.append(Change(path: "todos.items", kind: .remove, id: id(element), at: index, old: element))
        }
        for (index, element) in new.enumerated() {
            guard let known = before[id(element)] else {
                changes.append(Change(path: "todos.items", kind: .insert, id: id(element), at: index, new: element))
                continue
            }
            if known != element {
                changes.append(
                    Change(path: "todos.items", kind: .replace, id: id(element), at: index, old: known, new: element))
            }
        }
        return changes
    }
}
