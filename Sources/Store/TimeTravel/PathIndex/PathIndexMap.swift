import Chronicle
import ChronicleLog
import Expressions

/// The keys of the path index: a scope by its index, a list element by its id with a bit set of the changed fields.
///
/// The fingerprint of a file covers the order of scopes and fields.
struct PathIndexMap<App: Feature>: Sendable {
    private static var fieldsMax: Int { 63 }

    private struct List: Sendable {
        var scope: Int
        var depth: Int
        var fields: [String]
    }

    private let lists: [String: List]
    private let listScopes: ScopeSet

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

    /// Indexes the next record; a record without changes is noted as indexed.
    /// - Parameter touchesMax: elements indexed by id in the whole run.
    func note(_ difference: StateDifference, in run: inout PathIndexRun, touchesMax: Int) {
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

struct PlaceQuery: Sendable {
    var keys: [PlaceKey]
    /// Bits of the element's fields, at least one changed; 0 for other paths.
    var parts: UInt64
    /// Whether a listed record certainly changed the path, rather than possibly.
    var isExact: Bool

    /// Bit for fields of an element that have none of their own.
    static let unclear: UInt64 = 1 << 63

    /// The records of a range among those found for the keys.
    func posting(of hits: [PlaceHit], in range: ClosedRange<UInt64>) -> PathPosting {
        var (sequences, isExact): ([UInt64], Bool) = ([], isExact)
        for hit in hits where range.contains(hit.sequence) && sequences.last != hit.sequence {
            if parts & hit.parts == 0, parts != 0 {
                // Where several elements or parts changed, this one may be among them.
                guard hit.parts == 0 || hit.parts & Self.unclear != 0 else { continue }
                isExact = false
            }
            sequences.append(hit.sequence)
        }
        return PathPosting(
            range: range, knowledge: isExact || sequences.isEmpty ? .exact : .candidates, sequences: sequences)
    }
}

extension ScopeSet {
    fileprivate func forEach(_ body: (Int) -> Void) {
        var rest = rawValue
        while rest != 0 {
            body(rest.trailingZeroBitCount)
            rest &= rest - 1
        }
    }
}
