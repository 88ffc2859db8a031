public import Chronicle

/// A condition that is evaluated incrementally, from the values of its places and the numbers of matches of its loops.
///
/// It never reads the state, and reuses its memory instead of allocating.
public struct FollowedCondition: Sendable {
    /// The loops in source order.
    public let loops: [Tallies.Loop]
    /// The places that it uses, and whether it reads them outside of these loops.
    public let places: [(path: Path, isRead: Bool)]
    private var evaluation: Evaluation<NoState>
    // Evaluates the bodies of loops, with the positions of fields.
    private var body: Evaluation<NoState>
    private var tree: SyntaxTree

    init(_ tree: SyntaxTree, _ root: Int) {
        let tallies = Tallies(tree, root)
        loops = tallies.loops
        let read = tree.reads(in: root, except: tallies.loops.map(\.node)).paths
        places = tree.places.map { ($0.path, read.contains($0.path)) }
        self.tree = tree
        evaluation = Evaluation(tree, root, in: NoState(), tallies: tallies)
        body = evaluation
    }

    /// Declares that all elements of a loop have these fields in this order, which makes `meets` faster.
    public mutating func expect(_ fields: [String], loop: Int) {
        tree.expect(fields, inBodyOf: loops[loop].node)
        body = Evaluation(tree, loops[loop].body, in: NoState())
    }

    /// Whether an element meets the condition of a loop.
    /// - Parameters:
    ///   - element: a record with the fields in the order of `expect`. Share it among conditions, because a copy retains all fields.
    ///   - left: the remaining steps. The result is undefined if none are left afterwards.
    public mutating func meets(_ element: Value, loop: Int, left: inout Int) -> Bool {
        body.isTrue(loops.span[loop].body, for: element, left: &left)
    }

    /// Whether the condition holds.
    /// - Parameters:
    ///   - found: returns the content of a place. If all loops of a list are counted, only its number of elements is used.
    ///   - matches: the number of matches of each loop; `nil` to count them.
    ///   - left: the remaining steps. The result is undefined if none are left afterwards.
    public mutating func holds(where found: (Int) -> Path.Found, _ matches: ArraySlice<Int64?>, left: inout Int) -> Bool {
        for place in places.indices { evaluation.set(.found(found(place)), at: place) }
        return evaluation.holds(where: matches, left: &left)
    }
}

/// An empty state, for evaluations whose places are set in advance.
struct NoState: StateReader {
    mutating func list(along names: [String]) -> (view: ListView, depth: Int)? { nil }
    mutating func value(at names: [String]) -> Value? { nil }
}

/// The numbers of matches of an expression's loops in one state, for the incremental evaluation of the next state.
///
/// Unknown numbers are counted on demand.
public struct Tallies: Sendable {
    /// A loop whose number of matches can be maintained incrementally.
    ///
    /// It is not nested, and its condition reads nothing from the list except the element. The number of matches therefore depends only
    /// on the elements of the list and on the other places that the condition reads.
    public struct Loop: Sendable {
        public let kind: LoopKind
        let node: Int
        let body: Int
        let path: Path
        /// The fields that its condition reads of the element; `nil` for the whole element.
        public let fields: [String]?
        /// The other places that its condition reads.
        let read: [Path]

        public var list: [String] { path.names }
    }

    let loops: [Loop]
    /// The number of matches of each loop in source order; `nil` if unknown.
    public internal(set) var known: [Int64?]

    init(_ tree: SyntaxTree, _ root: Int) {
        loops = tree.outermostLoops(in: root).compactMap { node in
            guard case .loop(let kind, .place(let place), let body) = tree.nodes[node], !kind.isOfNumbers else { return nil }
            let (reads, list) = (tree.reads(in: body), tree.places[place])
            guard reads.facts.isEmpty, reads.oldPaths.isEmpty, !list.isOld,
                !reads.paths.contains(where: { $0.mayOverlap(list.path) })
            else { return nil }
            return Loop(
                kind: kind, node: node, body: body, path: list.path, fields: tree.elementFields(of: node), read: reads.paths)
        }
        known = Array(repeating: nil, count: loops.count)
    }

    /// Whether no number is known.
    public var isEmpty: Bool { known.allSatisfy { $0 == nil } }
    func index(of node: Int) -> Int? { loops.firstIndex { $0.node == node } }

    /// Added or removed elements whose matches are not counted yet.
    struct Adjustment: Sendable {
        var loop: Int
        var elements: [Value]
        /// 1 for added elements, -1 for removed ones.
        var sign: Int64
    }

    /// Invalidates or keeps the numbers according to changes, and returns the elements to count.
    /// - Parameter changes: `nil` if there are too many; all loops are then recounted.
    mutating func adjustments(by changes: [Change]?) -> [Adjustment] {
        var adjustments: [Adjustment] = []
        for (index, loop) in loops.enumerated() where known[index] != nil {
            let own = changes?.filter { $0.place.mayOverlap(loop.path) } ?? []
            // A list that was set as a whole, or is part of a changed value, is recounted.
            guard let changes, !changes.contains(where: { change in loop.read.contains(where: change.place.mayOverlap) }),
                own.allSatisfy({ $0.kind != .set && $0.place.names.count == loop.list.count })
            else {
                known[index] = nil
                continue
            }
            let (removed, added) = (own.compactMap(\.removed), own.compactMap(\.added))
            if !removed.isEmpty { adjustments.append(Adjustment(loop: index, elements: removed, sign: -1)) }
            if !added.isEmpty { adjustments.append(Adjustment(loop: index, elements: added, sign: 1)) }
        }
        return adjustments
    }
}

/// How a loop combines the values of its body.
public enum LoopKind: String, Sendable {
    case any, all, count
    /// The body is a number; elements for which it is null are skipped.
    case sum, min, max

    var isOfNumbers: Bool { self == .sum || self == .min || self == .max }

    /// The result of `any`, `all` or `count`.
    func result(matches: Int64, of count: Int) -> Operand { answer(matches, of: count).map(Operand.bool) ?? .int(matches) }
    var resultOfNone: Operand { self == .min || self == .max ? .null : result(matches: 0, of: 0) }

    @inlinable public func differs(_ old: (matches: Int64, count: Int), _ new: (matches: Int64, count: Int)) -> Bool {
        let answers = (answer(old.matches, of: old.count), answer(new.matches, of: new.count))
        return answers.0 == nil ? old.matches != new.matches : answers.0 != answers.1
    }

    /// The truth value; `nil` if the result is a number.
    @inlinable func answer(_ matches: Int64, of count: Int) -> Bool? {
        switch self {
        case .any: matches > 0
        case .all: matches == count
        case .count, .sum, .min, .max: nil
        }
    }
}

extension Path {
    /// Whether the paths may overlap, judged by their names only.
    func mayOverlap(_ other: Path) -> Bool { zip(names, other.names).allSatisfy { $0.hasSameBytes(as: $1) } }
}

extension Change {
    /// The changed list, or the field that was set.
    fileprivate var place: Path {
        var steps = path.split(separator: ".").map { Path.Step.name(String($0)) }
        if kind == .set, case .record(let fields)? = new ?? old, let field = fields.first { steps.append(.name(field.name)) }
        return Path(steps)
    }

    fileprivate var removed: Value? { kind == .remove || kind == .replace ? old : nil }
    fileprivate var added: Value? { kind == .insert || kind == .replace ? new : nil }
}
