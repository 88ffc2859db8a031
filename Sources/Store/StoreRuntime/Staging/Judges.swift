import Expressions
import Reducing

/// The judges of all conditions that every state must meet, and the state that they looked at last.
///
/// What a dispatch changed is found once for all of them, and only those are asked that read what has changed: a dispatch over 100,000
/// todos with ten conditions must not take 2 us more than without.
struct Judges<App: Feature>: Sendable {
    /// Where a judge reads one of the places of its condition.
    private enum Source {
        case list(Int)
        case value(Int)
        /// It is looked up when one of these scopes has changed; `nil`: when anything has.
        case path(Path, ScopeSet?)
    }

    /// A list that loops go over, or that is counted.
    private struct List {
        var names: [String]
        var follower: ListFollower<App.State>
        var loops: [Loop] = []
        /// The judges who ask how many elements it has, by their bits.
        var readers: UInt64 = 0
    }

    /// A place that is no list, and the judges who read it.
    private struct Place {
        var names: [String]
        var read: @Sendable (App.State) -> Value
        var readers: UInt64 = 0
    }

    /// A loop: whose it is, which one, where its matches stand, and which fields of an element its condition reads, by their bits.
    private struct Loop {
        var judge: Int
        var index: Int
        var place: Int
        var fields: UInt64
    }

    /// What is known of a state.
    private struct Known {
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
        /// More elements than that have changed, so all stay where they were.
        case changedTooMuch
    }

    private var judges: [Judge<App>] = []
    /// By judge: where its places are read, and where the matches of its loops stand.
    private var sources: [[Source]] = []
    private var loops: [Range<Int>] = []
    private var lists: [List] = []
    private var places: [Place] = []
    /// The judges of whose places some must be looked up, by their bits.
    private var lookers: UInt64 = 0
    /// The state that was looked at last, and what is known of it; `nil`: there are no judges.
    private var state: App.State?
    private var known = Known()

    /// Looks at a state as a whole, as far as the conditions can be read by this version.
    init(_ conditions: [(name: String, text: String)], in state: App.State) {
        for (name, text) in conditions {
            guard let expression = try? Expression(text, of: App.shape) else { continue }
            var judge = Judge<App>(name, expression)
            judge.look(at: state)
            judges.append(judge)
        }
        arrange(in: state)
    }

    /// One judge, which has looked at a state.
    init(_ judge: Judge<App>, in state: App.State) {
        judges = [judge]
        arrange(in: state)
    }

    /// Whether there are none.
    var isEmpty: Bool { judges.isEmpty }

    /// Each, as it stands, in the order in which their conditions were set.
    var all: [Judge<App>] {
        judges.indices.map { index in
            var judge = judges[index]
            judge.holds = known.holds[index]
            judge.matches = Array(known.matches[loops[index]])
            return judge
        }
    }

    /// Puts a judge, which has looked at a state, in the place of the one of its name, if there is one.
    mutating func set(_ judge: Judge<App>, at state: App.State) {
        follow(to: state)
        judges = all.filter { !$0.name.hasSameBytes(as: judge.name) } + [judge]
        arrange(in: state)
    }

    /// Takes one away.
    mutating func remove(_ name: String) {
        guard let state else { return }
        judges = all.filter { !$0.name.hasSameBytes(as: name) }
        arrange(in: state)
    }

    /// Goes on to another state, whatever it breaks.
    mutating func follow(to next: App.State) { _ = follow(to: next, changesMax: .max, isBinding: false) }

    /// Goes on to another state.
    ///
    /// - Parameters:
    ///   - changesMax: how many elements of a list may have changed.
    ///   - isBinding: whether it must not break what held.
    mutating func follow(to next: App.State, changesMax: Int, isBinding: Bool = true) -> Outcome {
        guard let state else { return .wentOn }
        var known = known
        guard let concerned = concerned(by: next, after: state, &known, changesMax) else { return .changedTooMuch }
        for index in judges.indices where concerned & 1 << UInt64(index) != 0 {
            let holds = holds(index, in: next, known)
            if isBinding, known.holds[index], !holds {
                var judge = judges[index]
                judge.holds = false
                return .broken(judge)
            }
            if known.holds[index] != holds { known.holds[index] = holds }
        }
        self.known = known
        self.state = next
        return .wentOn
    }

    /// Reads and counts on to a state; gives the judges who read what has changed by their bits, `nil` if too much has.
    private mutating func concerned(
        by next: App.State, after state: App.State, _ known: inout Known, _ changesMax: Int
    ) -> UInt64? {
        var concerned: UInt64 = 0
        for index in places.indices {
            let value = places[index].read(next)
            guard value != known.values[index] else { continue }
            known.values[index] = value
            concerned |= places[index].readers
        }
        for index in lists.indices {
            guard let counting = count(index, from: state, to: next, &known, changesMax) else { return nil }
            concerned |= counting
        }
        guard concerned & lookers != lookers else { return concerned }
        let changed = App.changedScopes(from: state, to: next)
        for index in judges.indices where lookers & ~concerned & 1 << UInt64(index) != 0 {
            for case .path(_, let scopes) in sources[index] where !(scopes?.isDisjoint(with: changed) ?? changed.isEmpty) {
                concerned |= 1 << UInt64(index)
            }
        }
        return concerned
    }

    /// Counts a list on to a state.
    private mutating func count(
        _ index: Int, from state: App.State, to next: App.State, _ known: inout Known, _ changesMax: Int
    ) -> UInt64? {
        let (list, before) = (lists[index], known)
        var concerned: UInt64 = 0
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
                            || matches != 0 && judges[loop.judge].condition.meets(old, loop: loop.index)
                    } ?? false
                let does = new.map { judges[loop.judge].condition.meets($0, loop: loop.index) } ?? false
                guard did != does else { continue }
                known.matches[loop.place]? += does ? 1 : -1
                concerned |= 1 << UInt64(loop.judge)
            }
        }
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
        let sources = sources[index]
        return judges[index].condition.holds(
            where: { place in
                switch sources[place] {
                case .list(let list): .list(ListView(path: "", count: known.counts[list], elements: { _ in [] }))
                case .value(let place): .value(known.values[place])
                case .path(let path, _): Self.read(path, in: state)
                }
            }, known.matches[loops[index]])
    }

    private static func read(_ path: Path, in state: App.State) -> Path.Found {
        var reading = StateReading<App>(state)
        return path.read(from: &reading)
    }

    // MARK: - Who reads what

    /// Finds out what all judges together follow, and what stands there in the state that they have looked at.
    private mutating func arrange(in state: App.State) {
        (sources, loops, lists, places, lookers) = ([], [], [], [], 0)
        self.state = judges.isEmpty ? nil : state
        var matches: [Int64?] = []
        for judge in judges { for loop in judge.condition.loops { add(loop.list, reading: loop.fields) } }
        for (index, judge) in judges.enumerated() {
            let bit: UInt64 = 1 << UInt64(index)
            loops.append(matches.count..<matches.count + judge.matches.count)
            for (number, loop) in judge.condition.loops.enumerated() {
                let list = lists.firstIndex { $0.names.hasSameBytes(as: loop.list) }
                if let list {
                    let place = Loop(
                        judge: index, index: number, place: matches.count, fields: bits(of: loop.fields, in: lists[list].follower)
                    )
                    lists[list].loops.append(place)
                }
                matches.append(list == nil ? nil : judge.matches[number])
            }
            sources.append(judge.condition.places.map { source(of: $0, for: bit) })
        }
        known = Known(
            counts: lists.map { $0.follower.count(state) }, values: places.map { $0.read(state) }, matches: matches,
            holds: judges.map(\.holds))
    }

    /// Adds a list, or fields that are read of its elements.
    private mutating func add(_ names: [String], reading fields: [String]?) {
        let index = lists.firstIndex { $0.names.hasSameBytes(as: names) }
        let more = fields.flatMap { fields in index.map { lists[$0].follower.fields + fields } ?? fields }
        guard case .list(let follower)? = App.follower(of: names, reading: more) else { return }
        if let index { lists[index].follower = follower } else { lists.append(List(names: names, follower: follower)) }
    }

    private func bits(of fields: [String]?, in follower: ListFollower<App.State>) -> UInt64 {
        guard let fields else { return .max }
        return follower.fields.enumerated().reduce(0) { bits, field in
            fields.contains { $0.hasSameBytes(as: field.element) } ? bits | 1 << UInt64(field.offset) : bits
        }
    }

    private mutating func source(of path: Path, for bit: UInt64) -> Source {
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
                lists.append(List(names: names, follower: follower, readers: bit))
                return .list(lists.count - 1)
            case .value(let read)?:
                places.append(Place(names: names, read: read, readers: bit))
                return .value(places.count - 1)
            case nil: break
            }
        }
        lookers |= bit
        return .path(path, App.scope(of: path))
    }
}
