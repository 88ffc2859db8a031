import Chronicle

/// Todos by id and in list order.
///
/// Stores a rank instead of an index for each todo, so a change moves only some bytes.
struct TodoList {
    struct Item {
        var todo: Todo
        var rank: Int64
        var words: FoldedText
    }

    private static let rankGap: Int64 = 1 << 24

    private var order: [Int64] = []
    private var items: [Int64: Item] = [:]
    /// Ids changed since `takeTouched()`; `nil` for all.
    private var touched: Set<Int64>? = []

    private static let touchedMax = 512

    init() {}

    init(_ elements: [Value]) {
        append(elements)
        touched = nil
    }

    var count: Int { order.count }
    var ids: [Int64] { order }

    subscript(id: Int64) -> Todo? { items[id]?.todo }

    func item(_ id: Int64) -> Item? { items[id] }

    func forEach(_ body: (Item) -> Void) {
        for item in items.values { body(item) }
    }

    func index(of id: Int64) -> Int? {
        guard let rank = items[id]?.rank else { return nil }
        var (low, high) = (0, order.count)
        while low < high {
            let middle = (low + high) / 2
            guard let other = items[order[middle]]?.rank else { return order.firstIndex(of: id) }
            if other < rank { low = middle + 1 } else { high = middle }
        }
        return low < order.count && order[low] == id ? low : order.firstIndex(of: id)
    }

    /// Returns and clears the changed ids; `nil` for all.
    mutating func takeTouched() -> Set<Int64>? {
        defer { touched = [] }
        return touched
    }
}

extension TodoList {
    mutating func reserve(_ count: Int) {
        order.reserveCapacity(count)
        items.reserveCapacity(count)
    }

    mutating func touchAll() { touched = nil }

    mutating func append(_ elements: [Value]) {
        var rank = order.last.flatMap { items[$0]?.rank } ?? -Self.rankGap
        for element in elements {
            guard let todo = Todo(element) else { continue }
            if items.keys.contains(todo.id) { take(todo.id) }
            rank += Self.rankGap
            items[todo.id] = Item(todo: todo, rank: rank, words: FoldedText(todo))
            order.append(todo.id)
            touch(todo.id)
        }
    }

    /// Applies a change of `todos.items`; ignores changes that don't fit.
    mutating func apply(_ change: Change) {
        guard let id = change.id else { return }
        switch change.kind {
        case .set: return
        case .insert:
            guard let todo = change.new.flatMap(Todo.init) else { return }
            if items[id] != nil { take(id) }
            insert(todo, at: change.at ?? 0)
        case .remove: take(id)
        case .replace:
            guard let todo = change.new.flatMap(Todo.init), items[id] != nil else { return }
            items[id]?.todo = todo
            items[id]?.words = FoldedText(todo)
        case .move:
            guard let todo = change.new.flatMap(Todo.init) ?? items[id]?.todo else { return }
            take(id)
            insert(todo, at: change.at ?? 0)
        }
        touch(id)
    }

    private mutating func touch(_ id: Int64) {
        touched?.insert(id)
        if let count = touched?.count, count > Self.touchedMax { touched = nil }
    }

    private mutating func take(_ id: Int64) {
        guard let index = index(of: id) else { return }
        order.remove(at: index)
        items[id] = nil
    }

    private mutating func insert(_ todo: Todo, at place: Int) {
        let index = min(max(place, 0), order.count)
        let before = index > 0 ? items[order[index - 1]]?.rank : nil
        let after = index < order.count ? items[order[index]]?.rank : nil
        var rank: Int64 = 0
        switch (before, after) {
        case (let before?, let after?): rank = before + (after - before) / 2
        case (let before?, nil): rank = before + Self.rankGap
        case (nil, let after?): rank = after - Self.rankGap
        case (nil, nil): break
        }
        items[todo.id] = Item(todo: todo, rank: rank, words: FoldedText(todo))
        order.insert(todo.id, at: index)
        if rank == before { renumber() }
    }

    private mutating func renumber() {
        for (index, id) in order.enumerated() { items[id]?.rank = Int64(index) * Self.rankGap }
        touched = nil
    }
}

struct FoldedText {
    // Title and note; and the tags, separated by zero bytes.
    private let words: [UInt8]
    private let tags: [UInt8]

    init(_ todo: Todo) {
        words = Self.fold(todo.note.isEmpty ? todo.title : todo.title + "\n" + todo.note)
        tags = todo.tags.isEmpty ? [] : Self.fold("\0" + todo.tags.joined(separator: "\0") + "\0")
    }

    static func fold(_ text: String) -> [UInt8] {
        var bytes = Array(text.utf8)
        guard bytes.allSatisfy({ $0 < 0x80 }) else { return Array(text.lowercased().utf8) }
        for index in bytes.indices where (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(bytes[index]) { bytes[index] |= 0x20 }
        return bytes
    }

    func contains(_ word: [UInt8]) -> Bool { Self.contains(words.span, word.span) }

    /// Whether the todo has this tag or a child of it; folded, after a zero byte.
    func hasTag(_ tag: [UInt8]) -> Bool {
        !tags.isEmpty
            && (Self.contains(tags.span, (tag + [0]).span) || Self.contains(tags.span, (tag + [UInt8(ascii: ".")]).span))
    }

    private static func contains(_ haystack: Span<UInt8>, _ wanted: Span<UInt8>) -> Bool {
        guard wanted.count > 0 else { return true }
        let first = wanted[0]
        let last = haystack.count - wanted.count
        var start = 0
        while start <= last {
            if haystack[start] == first {
                var index = 1
                while index < wanted.count, haystack[start + index] == wanted[index] { index += 1 }
                if index == wanted.count { return true }
            }
            start += 1
        }
        return false
    }
}

/// The part of a filter that needs no daemon: words, tags and ids, or the ids that the daemon found.
indirect enum LocalFilter: Equatable {
    /// In title or note; folded.
    case word([UInt8])
    /// A tag or a parent of one; folded, after a zero byte.
    case tag([UInt8])
    case ids([ClosedRange<Int64>])
    case found(Set<Int64>)
    case not(LocalFilter)
    case all([LocalFilter])
    case any([LocalFilter])

    /// `nil` if only the daemon can evaluate the condition.
    init?(_ condition: FilterCondition) {
        switch condition {
        case .term(let term):
            switch term.meaning {
            case .word(let word): self = .word(FoldedText.fold(word))
            case .tags(let tags): self = .all(tags.map { .tag(FoldedText.fold("\0" + $0)) })
            case .ids(let ranges): self = .ids(ranges)
            case .other: return nil
            }
        case .not(let condition):
            guard let inner = LocalFilter(condition) else { return nil }
            self = .not(inner)
        case .all(let conditions):
            guard let parts = Self.parts(conditions) else { return nil }
            self = .all(parts)
        case .any(let conditions):
            guard let parts = Self.parts(conditions) else { return nil }
            self = .any(parts)
        }
    }

    private static func parts(_ conditions: [FilterCondition]) -> [LocalFilter]? {
        let parts = conditions.compactMap(LocalFilter.init)
        return parts.count == conditions.count ? parts : nil
    }

    func matches(_ id: Int64, _ text: FoldedText) -> Bool {
        switch self {
        case .word(let word): text.contains(word)
        case .tag(let tag): text.hasTag(tag)
        case .ids(let ranges): ranges.contains { $0.contains(id) }
        case .found(let ids): ids.contains(id)
        case .not(let part): !part.matches(id, text)
        case .all(let parts): parts.allSatisfy { $0.matches(id, text) }
        case .any(let parts): parts.contains { $0.matches(id, text) }
        }
    }

    /// Whether every match also matches the other filter, so that only its matches need a check.
    func isNarrower(than other: LocalFilter) -> Bool {
        let (parts, others) = (conjunction, other.conjunction)
        guard parts.count >= others.count else { return false }
        return zip(others, parts).allSatisfy { before, now in
            switch (before, now) {
            case (.word(let before), .word(let now)): now.starts(with: before)
            default: before == now
            }
        }
    }

    private var conjunction: [LocalFilter] { if case .all(let parts) = self { parts } else { [self] } }
}
