import Expressions
import Reducing
import Values

extension Judges {
    /// Where a judge reads one of the places of its condition.
    enum Source {
        case list(Int)
        case value(Int)
        /// It is looked up when one of these scopes has changed; `nil`: when anything has.
        case path(Path, ScopeSet?)
    }

    /// A list that loops go over, or that is counted.
    struct List {
        var names: [String]
        var follower: ListFollower<App.State>
        var loops: [Loop] = []
        /// The judges who ask how many elements it has, by their bits.
        var readers: UInt64 = 0
    }

    /// A place that is no list, and the judges who read it.
    struct Place {
        var names: [String]
        var read: @Sendable (inout App.State) -> Value
        var readers: UInt64 = 0
    }

    /// A loop: whose it is, which one and of what kind, where its matches stand, and which fields of an element its condition reads, by
    /// their bits.
    struct Loop {
        var judge: Int
        var index: Int
        var kind: LoopKind
        var place: Int
        var fields: UInt64
    }

    /// What is known of a state.
    struct Known {
        /// By list, and by place.
        var counts: [Int] = []
        var values: [Value] = []
        /// By loop, and by judge.
        var matches: [Int64?] = []
        var holds: [Bool] = []

        /// One change of what is known: where, and what was known before.
        enum Step {
            case count(Int, Int)
            case value(Int, Value)
            case matches(Int, Int64?)
            case holds(Int, Bool)
        }

        mutating func takeBack(_ step: Step) {
            switch step {
            case .count(let index, let count): counts[index] = count
            case .value(let index, let value): values[index] = value
            case .matches(let index, let count): matches[index] = count
            case .holds(let index, let flag): holds[index] = flag
            }
        }
    }

    /// Who judges, and what they know: cheap to keep.
    struct Standing {
        var judges: [Judge<App>] = []
        /// By judge: where its places are read, and where the matches of its loops stand.
        var sources: [[Source]] = []
        var loops: [Range<Int>] = []
        var lists: [List] = []
        var places: [Place] = []
        /// The judges of whose places some must be looked up, by their bits.
        var lookers: UInt64 = 0
        /// The state that was looked at last, and what is known of it; `nil`: there are no judges.
        var state: App.State?
        var known = Known()
    }
}

extension Judges.Standing {
    /// Finds out what some judges together follow, and what stands there in the state that they have looked at.
    init(_ judges: [Judge<App>], in state: App.State) {
        self.judges = judges
        if !judges.isEmpty { self.state = state }
        let conditions = judges.map { $0.expression.followed }
        for condition in conditions { for loop in condition.loops { add(loop.list, reading: loop.fields) } }
        var matches: [Int64?] = []
        for (index, condition) in conditions.enumerated() {
            loops.append(matches.count..<matches.count + condition.loops.count)
            for (number, loop) in condition.loops.enumerated() {
                let list = lists.firstIndex { $0.names.hasSameBytes(as: loop.list) }
                if let list {
                    let fields = bits(of: loop.fields, in: lists[list].follower)
                    lists[list].loops.append(
                        .init(judge: index, index: number, kind: loop.kind, place: matches.count, fields: fields))
                }
                matches.append(list == nil ? nil : judges[index].matches[number])
            }
            sources.append(condition.places.map { source(of: $0.path, for: 1 << UInt64(index), isRead: $0.isRead) })
        }
        var state = state
        known = .init(
            counts: lists.map { $0.follower.count(&state) }, values: places.map { $0.read(&state) }, matches: matches,
            holds: judges.map(\.holds))
    }

    /// Adds a list, or fields that are read of its elements.
    private mutating func add(_ names: [String], reading fields: [String]?) {
        let index = lists.firstIndex { $0.names.hasSameBytes(as: names) }
        let more = fields.flatMap { fields in index.map { lists[$0].follower.fields + fields } ?? fields }
        guard case .list(let follower)? = App.follower(of: names, reading: more) else { return }
        if let index { lists[index].follower = follower } else { lists.append(.init(names: names, follower: follower)) }
    }

    private func bits(of fields: [String]?, in follower: ListFollower<App.State>) -> UInt64 {
        guard let fields else { return .max }
        return follower.fields.enumerated().reduce(0) { bits, field in
            fields.contains { $0.hasSameBytes(as: field.element) } ? bits | 1 << UInt64(field.offset) : bits
        }
    }

    private mutating func source(of path: Path, for bit: UInt64, isRead: Bool) -> Judges.Source {
        let names = path.names
        if names.count == path.steps.count {
            if let index = lists.firstIndex(where: { $0.names.hasSameBytes(as: names) }) {
                if isRead { lists[index].readers |= bit }
                return .list(index)
            }
            if let index = places.firstIndex(where: { $0.names.hasSameBytes(as: names) }) {
                places[index].readers |= bit
                return .value(index)
            }
            switch App.follower(of: names, reading: []) {
            case .list(let follower)?:
                lists.append(.init(names: names, follower: follower, readers: bit))
                return .list(lists.count - 1)
            case .value(let read)?:
                places.append(.init(names: names, read: read, readers: bit))
                return .value(places.count - 1)
            case nil: break
            }
        }
        lookers |= bit
        return .path(path, App.scope(of: path))
    }
}
