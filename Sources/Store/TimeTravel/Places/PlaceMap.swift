import Expressions
import Records
import Reducing
import Values

/// Under which keys the places of an app are noted.
///
/// Scopes by their index, elements of lists by their id and which of their fields changed. The fingerprint of a file stands for
/// the order of the scopes and of the fields.
struct PlaceMap<App: Feature>: Sendable {
    private static var fieldsMax: Int { 63 }

    private struct List: Sendable {
        var scope: Int
        var depth: Int
        var fields: [String]
    }

    private let lists: [String: List]
    private let listScopes: ScopeSet

    /// Makes it, with the lists of any state.
    init(_ views: [ListView]) {
        var lists: [String: List] = [:]
        for view in views where view.find != nil {
            guard let scope = App.scopes.firstIndex(where: { $0.hasSameBytes(as: view.path) }) else { continue }
            let names = view.path.split(separator: ".").map(String.init)
            let shape = names.reduce(App.shape) { $0[$1] ?? .any }
            var list = List(scope: scope, depth: names.count, fields: [])
            if case .list(.record(let fields)) = shape { list.fields = fields.prefix(Self.fieldsMax).map(\.name) }
            lists[view.path] = list
        }
        self.lists = lists
        listScopes = lists.values.reduce(into: []) { $0.insert(ScopeSet(index: $1.scope)) }
    }

    /// Notes what the next record changed; of a record that changed nothing, that it was looked at.
    ///
    /// - Parameter touchesMax: elements that are noted by their ids in the whole run.
    func note(_ difference: StateDifference, in run: inout PlaceRun, touchesMax: Int) {
        run.next()
        difference.scopes.forEach { run.note(PlaceKey(scope: $0)) }
        guard difference.elements.count <= touchesMax - run.touchCount else {
            return difference.scopes.intersection(listScopes).forEach { run.note(PlaceKey(anyElementOf: $0)) }
        }
        for element in difference.elements {
            guard let key = PlaceKey(scope: element.list, element: element.id) else {
                run.note(PlaceKey(anyElementOf: element.list))
                continue
            }
            run.note(key, parts: element.parts == 0 ? PlaceQuery.unclear : element.parts)
        }
    }

    /// How to look up a path; `nil` where nothing is noted by which it can be.
    func query(for path: Path) -> PlaceQuery? {
        guard let scope = App.scope(of: path).map({ $0.rawValue.trailingZeroBitCount }) else { return nil }
        let names = path.names
        let name = names.joined(separator: ".")
        if names.count == path.steps.count, App.scopes[scope].hasSameBytes(as: name) {
            return PlaceQuery(keys: [PlaceKey(scope: scope)], parts: 0, isExact: true)
        }
        guard let list = lists[name], list.depth == names.count, case .id(let number) = path.steps[names.count],
            let id = UInt64(exactly: number), let key = PlaceKey(scope: list.scope, element: id)
        else { return PlaceQuery(keys: [PlaceKey(scope: scope)], parts: 0, isExact: false) }
        var query = PlaceQuery(keys: [key, PlaceKey(anyElementOf: list.scope)], parts: ~PlaceQuery.unclear, isExact: true)
        guard path.steps.count > names.count + 1 else { return query }
        guard case .name(let field) = path.steps[names.count + 1],
            let bit = list.fields.firstIndex(where: { $0.hasSameBytes(as: field) })
        else {
            query.isExact = false
            return query
        }
        query.parts = 1 << UInt64(bit)
        query.isExact = path.steps.count == names.count + 2
        return query
    }
}

/// How a place is looked up among those that were noted.
struct PlaceQuery: Sendable {
    /// The keys under which it may be listed.
    var keys: [PlaceKey]
    /// The parts of an element of which one must have changed; 0 for what is no element.
    var parts: UInt64
    /// Whether a record that is listed is known to have changed the place; else it may have.
    var isExact: Bool

    /// What stands among the parts of an element for one that has no bit of its own.
    static let unclear: UInt64 = 1 << 63

    /// The records of a range that are listed, each once, and whether all are known to have changed the place.
    func chosen(_ hits: [PlaceHit], in range: ClosedRange<UInt64>) -> (sequences: [UInt64], isExact: Bool) {
        var (sequences, isExact): ([UInt64], Bool) = ([], isExact)
        for hit in hits where range.contains(hit.sequence) && sequences.last != hit.sequence {
            if parts & hit.parts == 0, parts != 0 {
                // Where some elements were changed, or some part, it may be this one.
                guard hit.parts == 0 || hit.parts & Self.unclear != 0 else { continue }
                isExact = false
            }
            sequences.append(hit.sequence)
        }
        return (sequences, isExact)
    }
}

extension ScopeSet {
    /// Lends the index of each scope.
    fileprivate func forEach(_ body: (Int) -> Void) {
        var rest = rawValue
        while rest != 0 {
            body(rest.trailingZeroBitCount)
            rest &= rest - 1
        }
    }
}
