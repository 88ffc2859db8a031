import Chronicle
import ChronicleLog
import Expressions

/// The evaluation state of all invariants.
///
/// Only those that read a changed value are evaluated: ten must not add 2 us to a dispatch over 100,000 todos.
struct InvariantChecker<App: Feature>: Sendable {
    /// The reason why the invariants can't advance to a state; nothing was advanced.
    enum Obstacle: Error {
        /// An invariant that held would break.
        case broken(InvariantState<App>)
        /// More elements than `changesMax` have changed.
        case changedTooMuch
        /// The steps were used up before this invariant was evaluated.
        case tooCostly(InvariantState<App>)
    }

    private(set) var standing = Standing()
    // By invariant, with scratch space for the evaluation.
    private var conditions: [FollowedCondition] = []

    /// Evaluates a whole state for the invariants that this version can read, at the start.
    init(_ conditions: [Invariant], in state: App.State, goesOn: () -> Void = {}) {
        let invariants = Self.legible(conditions).map { name, expression in
            var look = InitialEvaluation<App>(name, expression, at: state)
            while !look.advance(steps: Limits.invariantStepsMax) { goesOn() }
            return look.invariant
        }
        arrange(invariants, in: state)
    }

    /// Evaluates a whole state, in slices that let other queries run.
    init(_ conditions: [Invariant], in state: App.State, _ queries: isolated QueryExecutor) async throws(StoreError) {
        var invariants: [InvariantState<App>] = []
        for (name, expression) in Self.legible(conditions) {
            invariants.append(try await InvariantState(name, expression, at: state, queries))
        }
        arrange(invariants, in: state)
    }

    private static func legible(_ conditions: [Invariant]) -> [(name: String, expression: Expression)] {
        conditions.compactMap { condition in (try? Expression(condition.text, of: App.shape)).map { (condition.name, $0) } }
    }

    init(_ standing: Standing) {
        self.standing = standing
        conditions = standing.invariants.map { $0.expression.followed }
        for list in standing.lists {
            for loop in list.loops { conditions[loop.invariant].expect(list.follower.fields, loop: loop.index) }
        }
    }

    init(_ invariant: InvariantState<App>, in state: App.State) { arrange([invariant], in: state) }

    var isEmpty: Bool { conditions.isEmpty }

    var all: [InvariantState<App>] {
        standing.invariants.enumerated().map { index, invariant in
            var invariant = invariant
            invariant.holds = standing.known.holds[index]
            invariant.matches = Array(standing.known.matches[standing.loops[index]])
            return invariant
        }
    }

    mutating func set(_ invariant: InvariantState<App>, at state: App.State) {
        follow(to: state)
        arrange(all.filter { !$0.name.hasSameBytes(as: invariant.name) } + [invariant], in: state)
    }

    mutating func remove(_ name: String) {
        guard let state = standing.state else { return }
        arrange(all.filter { !$0.name.hasSameBytes(as: name) }, in: state)
    }

    /// Advances to another state, even if that breaks invariants.
    mutating func follow(to next: App.State) { try? follow(to: next, changesMax: .max, stepsMax: .max, isBinding: false) }

    /// - Parameters:
    ///   - changesMax: maximum number of changed elements in one list.
    ///   - stepsMax: maximum number of evaluation steps of all invariants together.
    ///   - isBinding: whether an invariant that held must still hold.
    mutating func follow(
        to next: consuming App.State, changesMax: Int, stepsMax: Int, isBinding: Bool = true
    ) throws(Obstacle) {
        guard var state = standing.state.take() else { return }
        let before = standing.known
        do throws(Obstacle) {
            try evaluate(&next, after: &state, changesMax, stepsMax, isBinding)
        } catch {
            (standing.state, standing.known) = (state, before)
            throw error
        }
        standing.state = next
    }

    private mutating func evaluate(
        _ next: inout App.State, after state: inout App.State, _ changesMax: Int, _ stepsMax: Int, _ isBinding: Bool
    ) throws(Obstacle) {
        var left = stepsMax
        let concerned = try self.concerned(by: &next, after: &state, changesMax, &left)
        for index in conditions.indices where concerned & 1 << UInt64(index) != 0 {
            let holds = holds(index, in: next, &left)
            guard left > 0 else { throw .tooCostly(standing.invariants[index]) }
            guard standing.known.holds[index] != holds else { continue }
            if isBinding, !holds { throw .broken(standing.invariants[index]) }
            standing.known.holds[index] = holds
        }
    }

    /// Updates the known values for a state; returns the invariants that read a changed value, as bits.
    private mutating func concerned(
        by next: inout App.State, after state: inout App.State, _ changesMax: Int, _ left: inout Int
    ) throws(Obstacle) -> UInt64 {
        var concerned: UInt64 = 0
        for index in standing.places.indices {
            let value = standing.places[index].read(&next)
            guard value != standing.known.values[index] else { continue }
            standing.known.values[index] = value
            concerned |= standing.places[index].readers
        }
        for index in standing.lists.indices { concerned |= try count(index, from: &state, to: &next, changesMax, &left) }
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

    private mutating func count(
        _ index: Int, from state: inout App.State, to next: inout App.State, _ changesMax: Int, _ left: inout Int
    ) throws(Obstacle) -> UInt64 {
        var (concerned, changes, stop): (UInt64, Int, Obstacle?) = (0, 0, nil)
        _ = standing.lists[index].follower.differences(&state, &next) { old, new in
            let changed = Self.changed(old, new)
            if changed == 0 { return true }
            changes += 1
            if changes > changesMax { stop = .changedTooMuch }
            guard stop == nil else { return false }
            let count = standing.known.counts[index]
            let nextCount = count + (new == nil ? 0 : 1) - (old == nil ? 0 : 1)
            let (before, after) = (old.map(Value.record), new.map(Value.record))
            for loop in standing.lists[index].loops where count != nextCount || loop.fields & changed != 0 {
                guard let matches = standing.known.matches[loop.place] else {
                    concerned |= 1 << UInt64(loop.invariant)
                    continue
                }
                // If all elements or none matched, the answer is known without evaluation.
                let did =
                    before.map { before in
                        matches == count
                            || matches != 0 && conditions[loop.invariant].meets(before, loop: loop.index, left: &left)
                    } ?? false
                let does = after.map { conditions[loop.invariant].meets($0, loop: loop.index, left: &left) } ?? false
                guard left > 0 else {
                    stop = .tooCostly(standing.invariants[loop.invariant])
                    return false
                }
                let nextMatches = matches + (does ? 1 : 0) - (did ? 1 : 0)
                if nextMatches != matches { standing.known.matches[loop.place] = nextMatches }
                // Most loops keep their result: all elements meet a condition, or none does.
                if loop.kind.differs((matches, count), (nextMatches, nextCount)) { concerned |= 1 << UInt64(loop.invariant) }
            }
            if count != nextCount {
                concerned |= standing.lists[index].readers
                standing.known.counts[index] = nextCount
            }
            return true
        }
        if let stop { throw stop }
        return concerned
    }

    private static func changed(_ old: [Value.Field]?, _ new: [Value.Field]?) -> UInt64 {
        guard let old, let new else { return .max }
        var bits: UInt64 = 0
        for index in old.indices where old[index].value != new[index].value { bits |= 1 << UInt64(index) }
        return bits
    }

    private mutating func holds(_ index: Int, in state: App.State, _ left: inout Int) -> Bool {
        let (sources, counts, values) = (standing.sources[index], standing.known.counts, standing.known.values)
        return conditions[index].holds(
            where: { place in
                switch sources[place] {
                case .list(let list): .list(ListView(path: "", count: counts[list], elements: { _ in [] }))
                case .value(let place): .value(values[place])
                case .path(let path, _): Self.read(path, in: state)
                }
            }, standing.known.matches[standing.loops[index]], left: &left)
    }

    private static func read(_ path: Path, in state: App.State) -> Path.Found {
        var reading = StateReading<App>(state)
        return path.read(from: &reading)
    }

    private mutating func arrange(_ invariants: [InvariantState<App>], in state: App.State) {
        self = InvariantChecker(Standing(invariants, in: state))
    }
}

/// An invariant that is evaluated incrementally, from the changes between states.
struct InvariantState<App: Feature>: Sendable {
    let name: String
    let expression: Expression
    var holds = false
    /// How many elements meet the conditions of its loops; `nil` if not tracked.
    var matches: [Int64?] = []

    init(_ name: String, _ expression: Expression, at state: App.State, _ queries: isolated QueryExecutor)
        async throws(StoreError)
    {
        var look = InitialEvaluation<App>(name, expression, at: state)
        while !look.advance(steps: Limits.invariantStepsMax) { try await queries.yieldIfNeeded() }
        self = look.invariant
    }

    fileprivate init(_ name: String, _ expression: Expression) {
        self.name = name
        self.expression = expression
    }
}

/// Initial evaluation of an invariant, in slices; also counts what `and` and `or` would skip, so that later ones are incremental.
struct InitialEvaluation<App: Feature> {
    private(set) var invariant: InvariantState<App>
    private let reading: StateReading<App>
    private var evaluation: Evaluation<StateReading<App>>
    private var isJudged = false

    init(_ name: String, _ expression: Expression, at state: App.State) {
        invariant = InvariantState(name, expression)
        let reading = StateReading<App>(state)
        self.reading = reading
        evaluation =
            expression.tallies.map { expression.evaluation(in: reading, after: $0, []) } ?? expression.evaluation(in: reading)
    }

    /// Runs about this many steps; returns whether the evaluation has ended.
    mutating func advance(steps: Int) -> Bool {
        guard let holds = evaluation.advance(steps: steps) else { return false }
        if !isJudged { invariant.holds = holds }
        isJudged = true
        guard let tallies = evaluation.tallies else { return true }
        invariant.matches = tallies.known
        guard let next = invariant.expression.counting(tallies, in: reading) else { return true }
        evaluation = next
        return false
    }
}

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
