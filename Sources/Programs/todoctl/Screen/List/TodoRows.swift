import Chronicle
import Dates

/// Todos as rows: filtered, in sections, sorted.
///
/// A changed todo costs a binary search and an insertion. Everything is rebuilt only if the order or the filter changes, or if
/// the time makes a todo overdue.
struct TodoRows {
    enum Section: Int, CaseIterable {
        case overdue, today, later, noDate, open, waiting, done

        var title: String {
            switch self {
            case .overdue: "OVERDUE"
            case .today: "TODAY"
            case .later: "LATER"
            case .noDate: "NO DATE"
            case .open: "OPEN"
            case .waiting: "WAITING"
            case .done: "DONE"
            }
        }
    }

    enum Row: Equatable {
        case heading(Section, count: Int)
        case todo(Int64)
    }

    struct Key: Comparable {
        var number: Int64 = 0
        var text = ""
        var rank: Int64

        static func < (left: Key, right: Key) -> Bool {
            if left.number != right.number { return left.number < right.number }
            if left.text != right.text { return left.text < right.text }
            return left.rank < right.rank
        }
    }

    private struct Entry {
        var id: Int64
        var key: Key
        // A copy, so that a search scans one array.
        var words: FoldedText
    }

    private(set) var sort: TodoOrder
    private(set) var filter: LocalFilter?
    /// Counts ignore the filter.
    var openCount: Int { counts.reduce(0, +) - counts[Section.done.rawValue] }
    private(set) var overdueCount = 0

    private var places: [Int64: (section: Section, key: Key)] = [:]
    private var counts = [Int](repeating: 0, count: Section.allCases.count)
    private var sections = [[Entry]](repeating: [], count: Section.allCases.count)
    private var found: [[Entry]]?
    // The next and the last minute since 1970 at which a todo changes its section.
    private var minuteOfChange = Int.max
    private var minuteOfChangeBefore = Int.min
    private var urgency: Urgency?

    init(sort: TodoOrder = .due) { self.sort = sort }

    private var shown: [[Entry]] { found ?? sections }

    /// Number of lines, including headings.
    var count: Int { shown.reduce(0) { $0 + ($1.isEmpty ? 0 : $1.count + 1) } }

    var todoCount: Int { shown.reduce(0) { $0 + $1.count } }

    subscript(index: Int) -> Row? {
        guard index >= 0 else { return nil }
        var rest = index
        for section in Section.allCases {
            let entries = shown[section.rawValue]
            guard !entries.isEmpty else { continue }
            if rest == 0 { return .heading(section, count: entries.count) }
            if rest <= entries.count { return .todo(entries[rest - 1].id) }
            rest -= entries.count + 1
        }
        return nil
    }

    func index(of id: Int64) -> Int? {
        guard let (section, key) = places[id] else { return nil }
        let entries = shown[section.rawValue]
        let place = Self.place(of: key, in: entries)
        guard place < entries.count, entries[place].id == id else { return nil }
        return shown[..<section.rawValue].reduce(0) { $0 + ($1.isEmpty ? 0 : $1.count + 1) } + place + 1
    }

    func section(of id: Int64) -> Section? { places[id]?.section }

    /// Whether two todos are ordered by the list order alone.
    func areEqual(_ left: Int64, _ right: Int64) -> Bool {
        guard let left = places[left], let right = places[right] else { return false }
        return left.section == right.section && left.key.number == right.key.number && left.key.text == right.key.text
    }

    var ids: [Int64] { shown.flatMap { $0.map(\.id) } }
}

extension TodoRows {
    mutating func sort(by sort: TodoOrder, _ list: TodoList, _ clock: RowClock) {
        self.sort = sort
        arrange(list, clock)
    }

    mutating func filter(by filter: LocalFilter?) {
        let isNarrower = self.filter.map { filter?.isNarrower(than: $0) == true } ?? false
        self.filter = filter
        guard let filter else {
            found = nil
            return
        }
        let among = isNarrower ? shown : sections
        found = among.map { $0.filter { filter.matches($0.id, $0.words) } }
    }

    /// Updates the rows of changed todos; `nil` for all.
    mutating func update(_ touched: Set<Int64>?, _ list: TodoList, _ clock: RowClock) {
        let isInTime = (minuteOfChangeBefore..<minuteOfChange).contains(clock.minute)
        guard let touched, sort != .urgency, isInTime else {
            guard touched?.isEmpty != true || !isInTime else { return }
            return arrange(list, clock)
        }
        // Removes all before it inserts any, because a changed todo may take another's rank.
        for id in touched {
            guard let (section, key) = places.removeValue(forKey: id) else { continue }
            count(section, -1)
            Self.remove(id, key, from: &sections[section.rawValue])
            if var entries = found?[section.rawValue] {
                found?[section.rawValue] = []
                Self.remove(id, key, from: &entries)
                found?[section.rawValue] = entries
            }
        }
        for id in touched {
            guard let item = list.item(id) else { continue }
            let (section, key) = place(item, clock)
            places[id] = (section, key)
            count(section, 1)
            let entry = Entry(id: id, key: key, words: item.words)
            sections[section.rawValue].insert(entry, at: Self.place(of: key, in: sections[section.rawValue]))
            guard let filter, filter.matches(id, item.words),
                let place = found.map({ Self.place(of: key, in: $0[section.rawValue]) })
            else { continue }
            found?[section.rawValue].insert(entry, at: place)
        }
    }

    private static func remove(_ id: Int64, _ key: Key, from entries: inout [Entry]) {
        let place = place(of: key, in: entries)
        if place < entries.count, entries[place].id == id { entries.remove(at: place) }
    }

    private mutating func arrange(_ list: TodoList, _ clock: RowClock) {
        places.removeAll(keepingCapacity: true)
        places.reserveCapacity(list.count)
        counts = [Int](repeating: 0, count: Section.allCases.count)
        sections = [[Entry]](repeating: [], count: Section.allCases.count)
        minuteOfChange = (clock.now.day.number + 1) * 1440
        minuteOfChangeBefore = clock.now.day.number * 1440
        overdueCount = 0
        urgency = sort == .urgency ? clock.urgency(of: list) : nil
        list.forEach { item in
            let (section, key) = place(item, clock)
            places[item.todo.id] = (section, key)
            count(section, 1)
            sections[section.rawValue].append(Entry(id: item.todo.id, key: key, words: item.words))
        }
        for index in sections.indices { sections[index].sort { $0.key < $1.key } }
        let filter = self.filter
        self.filter = nil
        self.filter(by: filter)
    }

    private mutating func count(_ section: Section, _ difference: Int) {
        counts[section.rawValue] += difference
        if section == .overdue { overdueCount += difference }
    }

    private mutating func place(_ item: TodoList.Item, _ clock: RowClock) -> (Section, Key) {
        let todo = item.todo
        for date in [todo.due, todo.wait] where !todo.isDone {
            guard let date else { continue }
            // Checks both the due minute and the next one, because `isOver` decides which of them counts.
            for minute in [date.day.number * 1440 + (date.minute ?? 0), date.day.number * 1440 + (date.minute ?? 0) + 1] {
                if minute > clock.minute {
                    minuteOfChange = min(minuteOfChange, minute)
                } else {
                    minuteOfChangeBefore = max(minuteOfChangeBefore, minute)
                }
            }
        }
        let section = section(of: todo, clock)
        var key = Key(rank: item.rank)
        switch sort {
        case .list: break
        case .due where section == .done: key.number = -(todo.completed ?? 0)
        case .due:
            if let date = section == .waiting ? todo.wait : todo.due {
                key.number = Int64(date.day.number) * 1441 + Int64(date.minute ?? -1) + 1
            }
        case .priority: key.number = Int64(-todo.priority)
        case .title: key.text = todo.title.lowercased()
        case .created: key.number = todo.created ?? 0
        case .id: key.number = todo.id
        case .urgency: key.number = Int64(-(urgency?.points(of: todo) ?? 0))
        }
        return (section, key)
    }

    private func section(of todo: Todo, _ clock: RowClock) -> Section {
        if todo.isDone { return .done }
        if todo.isWaiting(at: clock.now) { return .waiting }
        guard sort == .due else { return .open }
        guard let due = todo.due else { return .noDate }
        if due.isOver(at: clock.now) { return .overdue }
        return due.day <= clock.now.day ? .today : .later
    }

    private static func place(of key: Key, in entries: [Entry]) -> Int {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].key < key { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// The time and weights that decide sections and urgency.
struct RowClock {
    var now: Moment
    var zone: Zone
    var weights: [Urgency.Part: Int] = [:]

    var minute: Int { now.day.number * 1440 + now.second / 60 }

    func urgency(of list: TodoList) -> Urgency {
        var blocking = Blocking()
        list.forEach { if !$0.todo.isDone { blocking.named.formUnion($0.todo.after) } }
        blocking.open = blocking.named.filter { list[$0].map { !$0.isDone } ?? false }
        return Urgency(now: now, zone: zone, blocking: blocking, weights: weights)
    }
}
