import Dates
import Terminal
import TodoAPI

/// The log as sentences: each step with time and user, and below each requested command its results.
struct LogSentences {
    /// A record or a merged text edit, with its sentence.
    struct Entry {
        private(set) var record: UInt64
        let first: UInt64
        let step: UInt64
        /// Microseconds since 1970.
        let time: Int64
        let origin: UInt32
        /// The record that requested the command.
        let requester: UInt64?
        var text: String { first == record ? ownText : moved?.text ?? ownText }
        let below: [String]
        private let ownText: String
        // The moves of todos, which `join` merges.
        private var moved: MovedTodos?

        init(_ record: RecordMessage, _ detail: LogDetailMessage?, below: [String] = [], titles: [Int64: String] = [:]) {
            self.record = record.sequence
            first = detail?.first ?? record.sequence
            step = record.step
            time = record.time
            origin = record.origin
            // An edit of a command is the user's own action.
            requester = record.kind == "edit" ? nil : record.cause?.sequence
            ownText = RecordSentence(record, detail?.changes, titles: titles).text
            self.below = below
            moved = MovedTodos(record, detail?.changes, titles: titles)
        }

        /// The entries of a step, with consecutive moves of todos merged.
        static func joined(_ entries: [Entry]) -> [Entry] {
            var joined: [Entry] = []
            for entry in entries where joined.isEmpty || !joined[joined.count - 1].join(entry) { joined.append(entry) }
            return joined
        }

        // Entries with their own change lines stay separate.
        private mutating func join(_ next: Entry) -> Bool {
            guard below.isEmpty, next.below.isEmpty, next.first == record + 1, let other = next.moved,
                moved?.join(other) == true
            else { return false }
            record = next.record
            return true
        }
    }

    let zone: Zone
    let paint: Paint
    let uid: UInt32
    var undone: Set<UInt64> = []
    private var day: Day?

    init(zone: Zone, paint: Paint, uid: UInt32) {
        self.zone = zone
        self.paint = paint
        self.uid = uid
    }

    /// The lines of a page; steps keep the order of the entries.
    mutating func lines(_ entries: [Entry]) -> [String] {
        let width = Set(entries.map(\.origin)).reduce(0) { max($0, Width.columns(who($1))) }
        var order: [UInt64] = []
        var steps: [UInt64: [Entry]] = [:]
        for entry in entries {
            if steps[entry.step] == nil { order.append(entry.step) }
            steps[entry.step, default: []].append(entry)
        }
        var lines: [String] = []
        for step in order { lines += self.lines(ofStep: step, steps[step] ?? [], whoColumns: width) }
        return lines
    }

    private mutating func lines(ofStep step: UInt64, _ entries: [Entry], whoColumns: Int) -> [String] {
        let entries = Entry.joined(entries.sorted { $0.record < $1.record })
        let numbers = Set(entries.map(\.record))
        // The requesting record may be filtered out or on another page.
        let isBrought = { (entry: Entry) in entry.requester.map { $0 < entry.record && numbers.contains($0) } ?? false }
        let tree = StepTree(
            results: Dictionary(grouping: entries.filter(isBrought)) { $0.requester ?? 0 }, isUndone: undone.contains(step),
            margin: String(repeating: " ", count: whoColumns + 4), log: self)
        var lines: [String] = []
        for (index, root) in entries.filter({ !isBrought($0) }).enumerated() {
            var head = String(repeating: " ", count: 5) + tree.margin
            if index == 0 {
                let moment = moment(root)
                if moment.day != day { lines.append(paint(moment.day.long, .bold)) }
                day = moment.day
                head = clock(root) + "  " + Width.padded(who(root.origin), to: whoColumns) + "  "
            }
            tree.append(root, head: head, marks: index == 0, to: &lines)
        }
        return lines
    }

    fileprivate func moment(_ entry: Entry) -> Moment { zone.moment(at: entry.time / 1_000_000) }

    /// `09:12`.
    fileprivate func clock(_ entry: Entry) -> String { Due.clock(moment(entry).second / 60) }

    private func who(_ origin: UInt32) -> String { Self.who(origin, uid) }

    /// `you`, or the uid.
    static func who(_ origin: UInt32, _ uid: UInt32) -> String { origin == uid ? "you" : "uid \(origin)" }
}

private struct StepTree {
    let results: [UInt64: [LogSentences.Entry]]
    let isUndone: Bool
    let margin: String
    let log: LogSentences

    func append(_ root: LogSentences.Entry, head: String, marks isFirst: Bool, to lines: inout [String]) {
        let number = root.first < root.record ? "records \(root.first)–\(root.record)" : "record \(root.record)"
        let requester = root.requester.map { " (for \($0))" } ?? ""
        let mark = isUndone && isFirst && !log.paint.isOn ? " (undone)" : ""
        lines.append(head + said(root) + requester + mark + log.paint("  (\(number))", .dim))
        appendBelow(root, depth: 1, day: log.moment(root).day, to: &lines)
    }

    private func appendBelow(_ entry: LogSentences.Entry, depth: Int, day: Day, to lines: inout [String]) {
        let blank = String(repeating: " ", count: 5) + margin
        let indent = String(repeating: "  ", count: depth - 1)
        lines += entry.below.map { blank + indent + $0 }
        for result in results[entry.record] ?? [] {
            let moment = log.moment(result)
            let date = moment.day == day ? "" : " (\(moment.day.short))"
            lines.append(log.clock(result) + margin + indent + "└ " + said(result) + date)
            appendBelow(result, depth: depth + 1, day: day, to: &lines)
        }
    }

    private func said(_ entry: LogSentences.Entry) -> String { log.paint(entry.text, isUndone ? .struck : nil) }
}
