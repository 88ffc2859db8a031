public import Reducing

/// A condition that is followed from state to state: with what stands at its places, and how many elements meet the conditions of its
/// loops, it is judged without a look at the state.
///
/// It keeps the room that it needs for that, so that judging takes no memory.
public struct FollowedCondition: Sendable {
    /// A loop over a list of the state.
    public struct Loop: Sendable {
        /// The names that lead to the list.
        public var list: [String]
        /// The fields of an element that its condition reads; `nil`: the whole element.
        public var fields: [String]?
        /// What it comes to.
        public var kind: LoopKind
        /// Its instructions, without the last one, which would go on to the next element.
        fileprivate var body: Range<Int>
    }

    /// Its loops, in their order.
    public let loops: [Loop]
    /// The places that it reads, or loops or counts over, and whether it does more than to loop over them.
    public let places: [(path: Path, isRead: Bool)]
    private var evaluation: Evaluation<NoState>
    private let code: Bytecode
    // By loop the first node of its condition, where that is a tree.
    private var tree: ConditionTree
    private var roots: [Int?]

    init(_ code: Bytecode, _ range: Range<Int>) {
        let tallies = Tallies(code, range)
        loops = tallies.loops.map {
            Loop(list: $0.list.names, fields: code.elementFields(of: $0), kind: $0.kind, body: $0.begin + 1..<$0.end - 1)
        }
        let beside = range.filter { index in !tallies.loops.contains { $0.begin <= index && index < $0.end } }
        places = code.places.map { place in
            (place.path, beside.contains { code.reads(in: $0..<$0 + 1).paths.contains(place.path) })
        }
        evaluation = Evaluation(code, range, NoState(), nil, RecordFacts(), tallies, [])
        self.code = code
        tree = ConditionTree(code)
        roots = Array(repeating: nil, count: loops.count)
    }

    /// Says which fields each element of a loop is given by from now on, in their order: nearly all conditions are quicker to ask then.
    public mutating func expect(_ fields: [String], loop: Int) {
        roots[loop] = tree.add(code, loops[loop].body, depth: 1) { [code] source in
            guard case .element(0, let path) = source, case .name(let name)? = code.elementPaths[path].first,
                code.elementPaths[path].count == 1
            else { return nil }
            return fields.firstIndex { $0.hasSameBytes(as: name) }
        }
    }

    /// Whether an element meets the condition of a loop.
    ///
    /// - Parameter left: the steps that it may still take; where none are left behind it, this is no answer.
    public mutating func meets(_ element: FollowedElement, loop: Int, left: inout Int) -> Bool {
        if let root = roots.span[loop] { return tree.operand(root, of: element, .null, &left).isTrue }
        return evaluation.meets(.record(element.fields), in: loops.span[loop].body, &left)
    }

    /// Whether the condition holds.
    ///
    /// - Parameters:
    ///   - found: what stands at a place; of a list, all of whose loops are counted, only how many elements it has is looked at.
    ///   - matches: how many elements meet the condition of each loop; `nil`: they are counted.
    ///   - left: the steps that it may still take; where none are left behind it, this is no answer.
    public mutating func holds(
        where found: (Int) -> Path.Found, _ matches: ArraySlice<Int64?>, left: inout Int
    ) -> Bool {
        evaluation.holds(where: found, matches, &left)
    }
}

/// Lends nothing: everything is known.
struct NoState: StateReader {
    mutating func list(along names: [String]) -> (view: ListView, depth: Int)? { nil }
    mutating func value(at names: [String]) -> Value? { nil }
}

/// An element of a list of which the fields that are read are known, in the order that is expected.
public struct FollowedElement: ColumnSource {
    fileprivate let fields: [Value.Field]

    /// Made once for all loops: for each of them it would count its references anew.
    public init(_ fields: [Value.Field]) { self.fields = fields }

    func operand(_ column: Int) -> Operand { Operand(fields.span[column].value) }

    func members(_ column: Int) -> ColumnMembers { ColumnMembers(fields.span[column].value) }
}
