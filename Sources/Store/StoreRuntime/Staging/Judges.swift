import Expressions
import Records
import Reducing
import Values

/// The judges of all conditions that every state must meet, and the state that they looked at last.
///
/// What a dispatch changed is found once for all of them, and only those are asked that read what has changed: a dispatch over 100,000
/// todos with ten conditions must not take 2 us more than without.
struct Judges<App: Feature>: Sendable {
    /// Where a judge reads one of the places of its condition.
    fileprivate enum Source {
        case list(Int)
        case value(Int)
        /// It is looked up when one of these scopes has changed; `nil`: when anything has.
        case path(Path, ScopeSet?)
    }

    /// A list that loops go over, or that is counted.
    fileprivate struct List {
        var names: [String]
        var follower: ListFollower<App.State>
        var loops: [Loop] = []
        /// The judges who ask how many elements it has, by their bits.
        var readers: UInt64 = 0
    }

    /// A place that is no list, and the judges who read it.
    fileprivate struct Place {
        var names: [String]
        var read: @Sendable (App.State) -> Value
        var readers: UInt64 = 0
    }

    /// A loop: whose it is, which one, where its matches stand, and which fields of an element its condition reads, by their bits.
    fileprivate struct Loop {
        var judge: Int
        var index: Int
        var place: Int
        var fields: UInt64
    }

    /// What is known of a state.
    fileprivate struct Known {
        /// By list, and by place.
        var counts: [Int] = []
        var values: [Value] = []
        /// By loop, and by judge.
        var matches: [Int64?] = []
        var holds: [Bool] = []
    }

    /// What came of going on to another state.
    enum Outcome {
        case wentOn
        /// It would break what held, so all stay where they were.
        case broken(Judge<App>)
        /// More elements have changed than that, or it takes too many steps to judge them, so all stay where they were.
        case changedTooMuch
    }

    /// Who judges, and what they know: cheap to keep.
    struct Standing {
        fileprivate var judges: [Judge<App>] = []
        /// By judge: where its places are read, and where the matches of its loops stand.
        fileprivate var sources: [[Source]] = []
        fileprivate var loops: [Range<Int>] = []
        fileprivate var lists: [List] = []
        fileprivate var places: [Place] = []
        /// The judges of whose places some must be looked up, by their bits.
        fileprivate var lookers: UInt64 = 0
        /// The state that was looked at last, and what is known of it; `nil`: there are no judges.
        fileprivate var state: App.State?
        fileprivate var known = Known()
    }

    private(set) var standing = Standing()
    // By judge; with the room to judge in, which is not kept.
    private var conditions: [FollowedCondition] = []

    /// Look at a state as a whole, as far as their conditions can be read by this version, before anybody waits: for a start.
    ///
    /// - Parameter goesOn: called again and again meanwhile.
    init(_ conditions: [Invariant], in state: App.State, goesOn: () -> Void = {}) {
        let judges = Self.legible(conditions).map { name, expression in
            var look = FirstLook<App>(name, expression, at: state)
            while !look.advance(steps: Limits.invariantStepsMax) { goesOn() }
            return look.judge
        }
        arrange(judges, in: state)
    }

    /// Look at a state as a whole, and let others go on in between.
    init(_ conditions: [Invariant], in state: App.State, _ queries: isolated Queries) async throws(StoreError) {
        var judges: [Judge<App>] = []
        for (name, expression) in Self.legible(conditions) {
            judges.append(try await Judge(name, expression, at: state, queries))
        }
        arrange(judges, in: state)
    }

    private static func legible(_ conditions: [Invariant]) -> [(name: String, expression: Expression)] {
        conditions.compactMap { condition in
            (try? Expression(condition.text, of: App.shape)).map { (condition.name, $0) }
        }
    }

    /// Those who stood at some time.
    init(_ standing: Standing) {
        self.standing = standing
        conditions = standing.judges.map { $0.expression.followed }
    }

    /// One judge, which has looked at a state.
    init(_ judge: Judge<App>, in state: App.State) {
        arrange([judge], in: state)
    }

    /// Whether there are none.
    var isEmpty: Bool { conditions.isEmpty }

    /// Each, as it stands, in the order in which their conditions were set.
    var all: [Judge<App>] {
        standing.judges.enumerated().map { index, judge in
            var judge = judge
            judge.holds = standing.known.holds[index]
            judge.matches = Array(standing.known.matches[standing.loops[index]])
            return judge
        }
    }

    /// Puts a judge, which has looked at a state, in the place of the one of its name, if there is one.
    mutating func set(_ judge: Judge<App>, at state: App.State) {
        follow(to: state)
        arrange(all.filter { !$0.name.hasSameBytes(as: judge.name) } + [judge], in: state)
    }

    /// Takes one away.
    mutating func remove(_ name: String) {
        guard let state = standing.state else { return }
        arrange(all.filter { !$0.name.hasSameBytes(as: name) }, in: state)
    }

    /// Goes on to another state, whatever it breaks.
    mutating func follow(to next: App.State) { _ = follow(to: next, changesMax: .max, stepsMax: .max, isBinding: false) }

    /// Goes on to another state.
    ///
    /// - Parameters:
    ///   - changesMax: how many elements of a list may have changed.
    ///   - stepsMax: how many steps it may take to judge these.
    ///   - isBinding: whether it must not break what held.
    mutating func follow(to next: App.State, changesMax: Int, stepsMax: Int, isBinding: Bool = true) -> Outcome {
        guard let state = standing.state else { return .wentOn }
        var known = standing.known
        guard let concerned = concerned(by: next, after: state, &known, changesMax, stepsMax) else { return .changedTooMuch }
        for index in conditions.indices where concerned & 1 << UInt64(index) != 0 {
            let holds = holds(index, in: next, known)
            if isBinding, known.holds[index], !holds {
                var judge = standing.judges[index]
                judge.holds = false
                return .broken(judge)
            }
            if known.holds[index] != holds { known.holds[index] = holds }
        }
        standing.known = known
        standing.state = next
        return .wentOn
    }

    /// Reads and counts on to a state; gives the judges who read what has changed by their bits, `nil` if too much has.
    private mutating func concerned(
        by next: App.State, after state: App.State, _ known: inout Known, _ changesMax: Int, _ stepsMax: Int
    ) -> UInt64? {
        var (concerned, left): (UInt64, Int) = (0, stepsMax)
        for index in standing.places.indices {
            let value = standing.places[index].read(next)
            guard value != known.values[index] else { continue }
            known.values[index] = value
            concerned |= standing.places[index].readers
        }
        for index in standing.lists.indices {
            guard let counting = count(index, from: state, to: next, &known, changesMax, &left) else { return nil }
            concerned |= counting
        }
        let lookers = standing.lookers
        guard concerned & lookers != lookers else { return concerned }
        let changed = App.changedScopes(from: state, to: next)
        for index in conditions.indices where lookers & ~concerned & 1 << UInt64(index) != 0 {
            for case .path(_, let scopes) in standing.sources[index] where !(scopes?.isDisjoint(with: changed) ?? changed.isEmpty)
            {
                concerned |= 1 << UInt64(index)
            }
        }
        return concerned
    }

    /// Counts a list on to a state.
    private mutating func count(
        _ index: Int, from state: App.State, to next: App.State, _ known: inout Known, _ changesMax: Int, _ left: inout Int
    ) -> UInt64? {
        let (list, before) = (standing.lists[index], known)
        var (concerned, steps): (UInt64, Int) = (0, 0)
        let isWhole = list.follower.differences(state, next, changesMax) { old, new in
            let came = (new == nil ? 0 : 1) - (old == nil ? 0 : 1)
            if came != 0 { concerned |= list.readers }
            known.counts[index] += came
            let changed = Self.changed(old, new)
            for loop in list.loops where loop.fields & changed != 0 {
                guard let matches = before.matches[loop.place] else {
                    concerned |= 1 << UInt64(loop.judge)
                    continue
                }
                // Where all elements did, or none, it need not be asked.
                let did =
                    old.map { old in
                        matches == before.counts[index]
                            || matches != 0 && conditions[loop.judge].meets(old, loop: loop.index, steps: &steps)
                    } ?? false
                let does = new.map { conditions[loop.judge].meets($0, loop: loop.index, steps: &steps) } ?? false
                guard did != does else { continue }
                known.matches[loop.place]? += does ? 1 : -1
                concerned |= 1 << UInt64(loop.judge)
            }
            return steps <= left
        }
        left -= steps
        return isWhole ? concerned : nil
    }

    /// Which fields of an element differ, by their bits.
    private static func changed(_ old: [Value.Field]?, _ new: [Value.Field]?) -> UInt64 {
        guard let old, let new else { return .max }
        var bits: UInt64 = 0
        for index in old.indices where old[index].value != new[index].value { bits |= 1 << UInt64(index) }
        return bits
    }

    private mutating func holds(_ index: Int, in state: App.State, _ known: Known) -> Bool {
        let sources = standing.sources[index]
        return conditions[index].holds(
            where: { place in
                switch sources[place] {
                case .list(let list): .list(ListView(path: "", count: known.counts[list], elements: { _ in [] }))
                case .value(let place): .value(known.values[place])
                case .path(let path, _): Self.read(path, in: state)
                }
            }, known.matches[standing.loops[index]])
    }

    private static func read(_ path: Path, in state: App.State) -> Path.Found {
        var reading = StateReading<App>(state)
        return path.read(from: &reading)
    }

    private mutating func arrange(_ judges: [Judge<App>], in state: App.State) { self = Judges(Standing(judges, in: state)) }
}

// MARK: - Who reads what

extension Judges.Standing {
    /// Finds out what some judges together follow, and what stands there in the state that they have looked at.
    fileprivate init(_ judges: [Judge<App>], in state: App.State) {
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
                    lists[list].loops.append(.init(judge: index, index: number, place: matches.count, fields: fields))
                }
                matches.append(list == nil ? nil : judges[index].matches[number])
            }
            sources.append(condition.places.map { source(of: $0, for: 1 << UInt64(index)) })
        }
        known = .init(
            counts: lists.map { $0.follower.count(state) }, values: places.map { $0.read(state) }, matches: matches,
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

    private mutating func source(of path: Path, for bit: UInt64) -> Judges.Source {
        let names = path.names
        if names.count == path.steps.count {
            if let index = lists.firstIndex(where: { $0.names.hasSameBytes(as: names) }) {
                lists[index].readers |= bit
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
