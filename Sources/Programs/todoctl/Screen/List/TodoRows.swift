import Chronicle
import Dates

/// Todos as they stand on the screen: in sections, sorted, and of them those that a filter means.
///
/// A touched todo costs a search and the move of some bytes. All are looked at only when they are sorted otherwise, when a filter changes, and
/// when the time makes one of them overdue.
struct TodoRows {
    /// A part of the list with a heading of its own.
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

    /// What stands in one line.
    enum Row: Equatable {
        case heading(Section, count: Int)
        case todo(Int64)
    }

    /// By what todos are sorted within their section.
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
        // Here as well, so that who looks for words goes along one array.
        var words: FoldedText
    }

    private(set) var sort: TodoOrder
    private(set) var filter: LocalFilter?
    /// Counts of all, whatever the filter.
    var openCount: Int { counts.reduce(0, +) - counts[Section.done.rawValue] }
    private(set) var overdueCount = 0

    private var places: [Int64: (section: Section, key: Key)] = [:]
    private var counts = [Int](repeating: 0, count: Section.allCases.count)
    private var sections = [[Entry]](repeating: [], count: Section.allCases.count)
    // Those that the filter means, where there is one.
    private var found: [[Entry]]?
    // The minute since 1970 at which some of them may belong elsewhere, and the last one before at which they did.
    private var minuteOfChange = Int.max
    private var minuteOfChangeBefore = Int.min
    private var urgency: Urgency?

    init(sort: TodoOrder = .due) { self.sort = sort }

    private var shown: [[Entry]] { found ?? sections }

    /// Lines in all, headings included.
    var count: Int { shown.reduce(0) { $0 + ($1.isEmpty ? 0 : $1.count + 1) } }

    /// How many todos there are among them.
    var todoCount: Int { shown.reduce(0) { $0 + $1.count } }

    /// What stands in a line.
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

    /// The line of a todo.
    func index(of id: Int64) -> Int? {
        guard let (section, key) = places[id] else { return nil }
        let entries = shown[section.rawValue]
        let place = Self.place(of: key, in: entries)
        guard place < entries.count, entries[place].id == id else { return nil }
        return shown[..<section.rawValue].reduce(0) { $0 + ($1.isEmpty ? 0 : $1.count + 1) } + place + 1
    }

    /// In which section a todo stands.
    func section(of id: Int64) -> Section? { places[id]?.section }

    /// Whether two todos stand where they do because of their order in the list alone.
    func areEqual(_ left: Int64, _ right: Int64) -> Bool {
        guard let left = places[left], let right = places[right] else { return false }
        return left.section == right.section && left.key.number == right.key.number && left.key.text == right.key.text
    }

    /// The ids of all that are shown, from above.
    var ids: [Int64] { shown.flatMap { $0.map(\.id) } }
}

// MARK: - What changes them

extension TodoRows {
    /// Sorts otherwise.
    mutating func sort(by sort: TodoOrder, _ list: TodoList, _ clock: RowClock) {
        self.sort = sort
        arrange(list, clock)
    }

    /// Shows what another filter means; `nil`: all.
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

    /// Takes note of todos that were touched; `nil`: all may have been.
    mutating func update(_ touched: Set<Int64>?, _ list: TodoList, _ clock: RowClock) {
        let isInTime = (minuteOfChangeBefore..<minuteOfChange).contains(clock.minute)
        guard let touched, sort != .urgency, isInTime else {
            guard touched?.isEmpty != true || !isInTime else { return }
            return arrange(list, clock)
        }
        // All go before one comes: what comes may have the rank that another one had.
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

    /// Puts all in their places.
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
        // What was found before is in another order.
        let filter = self.filter
        self.filter = nil
        self.filter(by: filter)
    }

    private mutating func count(_ section: Section, _ difference: Int) {
        counts[section.rawValue] += difference
        if section == .overdue { overdueCount += difference }
    }

    /// Where a todo belongs.
    private mutating func place(_ item: TodoList.Item, _ clock: RowClock) -> (Section, Key) {
        let todo = item.todo
        for date in [todo.due, todo.wait] where !todo.isDone {
            guard let date else { continue }
            // A due with a time is over when its minute is, which one rule says; here it is only when to ask again.
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

    /// The first place whose key is not smaller.
    private static func place(of key: Key, in entries: [Entry]) -> Int {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].key < key { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// The time by which todos are overdue, or wait, and how much they press.
struct RowClock {
    var now: Moment
    var zone: Zone
    var weights: [Urgency.Part: Int] = [:]

    /// Minutes since 1970 where the person is.
    var minute: Int { now.day.number * 1440 + now.second / 60 }

    /// How much todos press.
    func urgency(of list: TodoList) -> Urgency {
        var blocking = Blocking()
        list.forEach { if !$0.todo.isDone { blocking.named.formUnion($0.todo.after) } }
        blocking.open = blocking.named.filter { list[$0].map { !$0.isDone } ?? false }
        return Urgency(now: now, zone: zone, blocking: blocking, weights: weights)
    }
}
