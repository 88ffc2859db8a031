import Chronicle
import Expressions

extension InvariantChecker {
    enum Source {
        case list(Int)
        case value(Int)
        /// A path that is read again when one of these scopes has changed; `nil`: after any change.
        case path(Path, ScopeSet?)
    }

    struct List {
        var names: [String]
        var follower: ListFollower<App.State>
        var loops: [Loop] = []
        /// The invariants that read its count, as bits.
        var readers: UInt64 = 0
    }

    /// A path to something other than a list, and the invariants that read it.
    struct Place {
        var names: [String]
        var read: @Sendable (inout App.State) -> Value
        var readers: UInt64 = 0
    }

    /// A loop: its invariant, index and kind, the position of its matches, and the element fields that its condition reads, as bits.
    struct Loop {
        var invariant: Int
        var index: Int
        var kind: LoopKind
        var place: Int
        var fields: UInt64
    }

    struct Known {
        /// By list, and by path.
        var counts: [Int] = []
        var values: [Value] = []
        /// By loop, and by invariant.
        var matches: [Int64?] = []
        var holds: [Bool] = []

        /// An undoable change of a known value: where, and the previous value.
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

    struct Standing {
        var invariants: [InvariantState<App>] = []
        /// By invariant: where its paths are read, and where the matches of its loops are.
        var sources: [[Source]] = []
        var loops: [Range<Int>] = []
        var lists: [List] = []
        var places: [Place] = []
        /// The invariants that read some paths directly, as bits.
        var lookers: UInt64 = 0
        var state: App.State?
        var known = Known()
    }
}

extension InvariantChecker.Standing {
    /// Merges the lists, paths and loops of some invariants, and reads their values in the state that was evaluated last.
    init(_ invariants: [InvariantState<App>], in state: App.State) {
        self.invariants = invariants
        if !invariants.isEmpty { self.state = state }
        let conditions = invariants.map { $0.expression.followed }
        for condition in conditions { for loop in condition.loops { add(loop.list, reading: loop.fields) } }
        var matches: [Int64?] = []
        for (index, condition) in conditions.enumerated() {
            loops.append(matches.count..<matches.count + condition.loops.count)
            for (number, loop) in condition.loops.enumerated() {
                let list = lists.firstIndex { $0.names.hasSameBytes(as: loop.list) }
                if let list {
                    let fields = bits(of: loop.fields, in: lists[list].follower)
                    lists[list].loops.append(
                        .init(invariant: index, index: number, kind: loop.kind, place: matches.count, fields: fields))
                }
                matches.append(list == nil ? nil : invariants[index].matches[number])
            }
            sources.append(condition.places.map { source(of: $0.path, for: 1 << UInt64(index), isRead: $0.isRead) })
        }
        var state = state
        known = .init(
            counts: lists.map { $0.follower.count(&state) }, values: places.map { $0.read(&state) }, matches: matches,
            holds: invariants.map(\.holds))
    }

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

    private mutating func source(of path: Path, for bit: UInt64, isRead: Bool) -> InvariantChecker.Source {
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
