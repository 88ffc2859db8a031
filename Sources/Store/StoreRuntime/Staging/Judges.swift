import Expressions
import Records
import Reducing
import Values

/// The judges of all conditions that every state must meet, and the state that they looked at last.
///
/// What a dispatch changed is found once for all of them, and only those are asked that read what has changed: a dispatch over 100,000
/// todos with ten conditions must not take 2 us more than without.
struct Judges<App: Feature>: Sendable {
    /// What came of going on to another state.
    enum Outcome {
        case wentOn
        /// It would break what held, so all stay where they were.
        case broken(Judge<App>)
        /// More elements have changed than that, so all stay where they were.
        case changedTooMuch
        /// The steps were used up before this one had judged, so all stay where they were.
        case tooCostly(Judge<App>)
    }

    private(set) var standing = Standing()
    // By judge; with the room to judge in, which is not kept.
    private var conditions: [FollowedCondition] = []
    // What led from what was known to what is known, where it may have to be taken back.
    private var undo: [Known.Step] = []
    private var keepsUndo = false

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
        for list in standing.lists {
            for loop in list.loops { conditions[loop.judge].expect(list.follower.fields, loop: loop.index) }
        }
    }

    init(_ judge: Judge<App>, in state: App.State) {
        arrange([judge], in: state)
    }

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
    ///   - changesMax: how many elements of a list may have changed in what is read of them.
    ///   - stepsMax: how many steps all of them together may take to judge.
    ///   - isBinding: whether it must not break what held.
    mutating func follow(to next: consuming App.State, changesMax: Int, stepsMax: Int, isBinding: Bool = true) -> Outcome {
        guard var state = standing.state.take() else { return .wentOn }
        undo.removeAll(keepingCapacity: true)
        keepsUndo = isBinding || changesMax < .max || stepsMax < .max
        let outcome = judge(&next, after: &state, changesMax, stepsMax, isBinding)
        if case .wentOn = outcome {
            standing.state = next
        } else {
            standing.state = state
            for step in undo.reversed() { standing.known.takeBack(step) }
        }
        return outcome
    }

    private mutating func judge(
        _ next: inout App.State, after state: inout App.State, _ changesMax: Int, _ stepsMax: Int, _ isBinding: Bool
    ) -> Outcome {
        var left = stepsMax
        let concerned: UInt64
        do throws(Stop) { concerned = try self.concerned(by: &next, after: &state, changesMax, &left) } catch {
            switch error {
            case .changes: return .changedTooMuch
            case .steps(let index): return .tooCostly(standing.judges[index])
            }
        }
        for index in conditions.indices where concerned & 1 << UInt64(index) != 0 {
            let holds = holds(index, in: next, &left)
            guard left > 0 else { return .tooCostly(standing.judges[index]) }
            guard standing.known.holds[index] != holds else { continue }
            if isBinding, !holds {
                var judge = standing.judges[index]
                judge.holds = false
                return .broken(judge)
            }
            note(.holds(index, !holds))
            standing.known.holds[index] = holds
        }
        return .wentOn
    }

    private mutating func note(_ step: Known.Step) {
        if keepsUndo { undo.append(step) }
    }

    /// Why it went no further: too much has changed, or no steps were left for this judge.
    private enum Stop: Error {
        case changes
        case steps(Int)
    }

    /// Reads and counts on to a state; gives the judges who read what has changed by their bits.
    private mutating func concerned(
        by next: inout App.State, after state: inout App.State, _ changesMax: Int, _ left: inout Int
    ) throws(Stop) -> UInt64 {
        var concerned: UInt64 = 0
        for index in standing.places.indices {
            let value = standing.places[index].read(&next)
            guard value != standing.known.values[index] else { continue }
            note(.value(index, standing.known.values[index]))
            standing.known.values[index] = value
            concerned |= standing.places[index].readers
        }
        for index in standing.lists.indices {
            concerned |= try count(index, from: &state, to: &next, changesMax, &left)
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

    /// Counts a list on to a state, element by element: in between, what is known is that of a list between the two.
    private mutating func count(
        _ index: Int, from state: inout App.State, to next: inout App.State, _ changesMax: Int, _ left: inout Int
    ) throws(Stop) -> UInt64 {
        var (concerned, changes, stop): (UInt64, Int, Stop?) = (0, 0, nil)
        _ = standing.lists[index].follower.differences(&state, &next) { old, new in
            let changed = Self.changed(old, new)
            if changed == 0 { return true }
            changes += 1
            if changes > changesMax { stop = .changes }
            guard stop == nil else { return false }
            let count = standing.known.counts[index]
            let nextCount = count + (new == nil ? 0 : 1) - (old == nil ? 0 : 1)
            let (before, after) = (old.map { FollowedElement($0) }, new.map { FollowedElement($0) })
            for loop in standing.lists[index].loops where count != nextCount || loop.fields & changed != 0 {
                guard let matches = standing.known.matches[loop.place] else {
                    concerned |= 1 << UInt64(loop.judge)
                    continue
                }
                // Where all elements did, or none, it need not be asked.
                let did =
                    before.map { before in
                        matches == count
                            || matches != 0 && conditions[loop.judge].meets(before, loop: loop.index, left: &left)
                    } ?? false
                let does = after.map { conditions[loop.judge].meets($0, loop: loop.index, left: &left) } ?? false
                guard left > 0 else {
                    stop = .steps(loop.judge)
                    return false
                }
                let nextMatches = matches + (does ? 1 : 0) - (did ? 1 : 0)
                if nextMatches != matches {
                    note(.matches(loop.place, matches))
                    standing.known.matches[loop.place] = nextMatches
                }
                // Most loops come to what they came to: that all elements meet a condition, or that none does.
                if loop.kind.differs((matches, count), (nextMatches, nextCount)) { concerned |= 1 << UInt64(loop.judge) }
            }
            if count != nextCount {
                concerned |= standing.lists[index].readers
                note(.count(index, count))
                standing.known.counts[index] = nextCount
            }
            return true
        }
        if let stop { throw stop }
        return concerned
    }

    /// Which fields of an element differ, by their bits.
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

    private mutating func arrange(_ judges: [Judge<App>], in state: App.State) { self = Judges(Standing(judges, in: state)) }
}
