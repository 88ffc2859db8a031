public import Chronicle

/// A condition that is evaluated incrementally, from the values of its places and the numbers of matches of its loops.
///
/// It never reads the state, and reuses its memory instead of allocating.
public struct FollowedCondition: Sendable {
    /// A loop over a list of the state.
    public struct Loop: Sendable {
        /// The path of the list.
        public var list: [String]
        /// The fields that its condition reads; `nil` for the whole element.
        public var fields: [String]?
        public var kind: LoopKind
        fileprivate var node: Int
        fileprivate var body: Int
    }

    /// The loops in source order.
    public let loops: [Loop]
    /// The places that it uses, and whether it reads them outside of these loops.
    public let places: [(path: Path, isRead: Bool)]
    private var evaluation: Evaluation<NoState>
    // Evaluates the bodies of loops, with the positions of fields.
    private var body: Evaluation<NoState>
    private var tree: SyntaxTree

    init(_ tree: SyntaxTree, _ root: Int) {
        let tallies = Tallies(tree, root)
        loops = tallies.loops.map {
            Loop(list: $0.list.names, fields: tree.elementFields(of: $0.node), kind: $0.kind, node: $0.node, body: $0.body)
        }
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
    ///
    /// - Parameters:
    ///   - element: a record with the fields in the order of `expect`. Share it among conditions, because a copy retains all fields.
    ///   - left: the remaining steps. The result is undefined if none are left afterwards.
    public mutating func meets(_ element: Value, loop: Int, left: inout Int) -> Bool {
        body.isTrue(loops.span[loop].body, for: element, left: &left)
    }

    /// Whether the condition holds.
    ///
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
