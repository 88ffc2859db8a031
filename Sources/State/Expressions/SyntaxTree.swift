import Chronicle

/// The syntax tree of an expression, and its static analysis.
///
/// All nodes are in one array and refer to each other by index. Children precede their parent.
struct SyntaxTree: Sendable {
    struct Place: Sendable, Equatable {
        var path: Path
        /// Whether it is in the state before the record.
        var isOld = false
    }

    /// A part of a loop's current element.
    struct ElementPart: Sendable {
        var steps: [Path.Step]
        /// The index of the field that the first step names, if all elements have the same fields in the same order.
        var position: Int?
    }

    /// The operand of a read.
    enum Source: Sendable {
        /// An index in `places`.
        case place(Int)
        /// An index in `parts`, for the current element of a loop; 0 is the outermost loop.
        case element(loop: Int, part: Int)
    }

    /// A node consists of integers only, so that copying it retains nothing; other values are in arrays of the tree.
    enum Node: Sendable {
        case constant(Int)
        case fact(RecordFact)
        case read(Source)
        case count(Source)
        /// Reads a part of another element of the list, by ID.
        case other(id: Int, part: Int)
        case apply(Int, to: Int)
        case compare(Comparison, Int, Int)
        /// A range of `terms`, evaluated from left to right; the operator of the first is ignored.
        case compute(Range<Int>)
        case and(Range<Int>)
        case or(Range<Int>)
        case loop(LoopKind, Source, body: Int)
    }

    /// An operand and the operator before it.
    struct Term: Sendable {
        var node: Int
        var arithmetic = Arithmetic.add
    }

    private(set) var nodes: [Node] = []
    // By node, the first node of its subtree, which is contiguous.
    private var starts: [Int] = []
    private(set) var constants: [Operand] = []
    private(set) var functions: [Function] = []
    private(set) var terms: [Term] = []
    private(set) var places: [Place] = []
    private(set) var parts: [ElementPart] = []

    mutating func add(_ node: Node) -> Int {
        nodes.append(node)
        starts.append(children(of: nodes.count - 1).first.map { starts[$0] } ?? nodes.count - 1)
        return nodes.count - 1
    }

    mutating func add(constant: Operand) -> Int {
        constants.append(constant)
        return add(.constant(constants.count - 1))
    }

    mutating func add(_ function: Function, of node: Int) -> Int {
        functions.append(function)
        return add(.apply(functions.count - 1, to: node))
    }

    mutating func add(_ row: [Term], _ node: (Range<Int>) -> Node) -> Int {
        terms += row
        return add(node(terms.count - row.count..<terms.count))
    }

    mutating func index(of place: Place) -> Int {
        if let index = places.firstIndex(of: place) { return index }
        places.append(place)
        return places.count - 1
    }

    mutating func index(ofPart steps: [Path.Step]) -> Int {
        parts.append(ElementPart(steps: steps))
        return parts.count - 1
    }

    /// Declares that all elements of an outermost loop have these fields in this order.
    mutating func expect(_ fields: [String], inBodyOf loop: Int) {
        for part in elementParts(in: loop) {
            guard case .name(let name)? = parts[part].steps.first else { continue }
            parts[part].position = fields.firstIndex { $0.hasSameBytes(as: name) }
        }
    }

    func subtree(_ root: Int) -> ClosedRange<Int> { starts[root]...root }

    func children(of node: Int) -> [Int] {
        switch nodes[node] {
        case .constant, .fact, .read, .count: []
        case .other(let child, _), .apply(_, let child), .loop(_, _, let child): [child]
        case .compare(_, let left, let right): [left, right]
        case .compute(let row), .and(let row), .or(let row): terms[row].map(\.node)
        }
    }

    private func source(of node: Int) -> Source? {
        switch nodes[node] {
        case .read(let source), .count(let source), .loop(_, let source, _): source
        default: nil
        }
    }

    /// The places and facts that a subtree reads, without some of its subtrees; in source order, without duplicates.
    func reads(in root: Int, except skipped: [Int] = []) -> Reads {
        let nodes = subtree(root).filter { node in !skipped.contains { subtree($0) ~= node } }
        var (reads, isRead) = (Reads(), Set<Int>())
        for node in nodes {
            if case .place(let place)? = source(of: node) { isRead.insert(place) }
            if case .fact(let fact) = self.nodes[node] { reads.facts.insert(fact) }
        }
        for index in isRead.sorted() {
            if places[index].isOld { reads.oldPaths.append(places[index].path) } else { reads.paths.append(places[index].path) }
        }
        return reads
    }

    /// Whether the cost of a subtree depends on the length of texts or lists, or it reads other elements.
    func readsTextsOrLists(_ root: Int) -> Bool {
        nodes[subtree(root)].contains { node in
            switch node {
            case .loop, .other: true
            case .apply(let function, _): functions[function].readsWholeText
            default: false
            }
        }
    }

    // The parts that an outermost loop reads from its element, in source order.
    private func elementParts(in loop: Int) -> [Int] {
        subtree(loop).compactMap { if case .element(0, let part)? = source(of: $0) { part } else { nil } }.sorted()
    }

    /// The fields that an outermost loop reads from its element; `nil` for the whole element.
    func elementFields(of loop: Int) -> [String]? {
        var fields: [String] = []
        for part in elementParts(in: loop) {
            guard case .name(let name)? = parts[part].steps.first else { return nil }
            if !fields.contains(where: { $0.hasSameBytes(as: name) }) { fields.append(name) }
        }
        return fields
    }

    /// The loops of a subtree that are not nested in another loop, in source order.
    func outermostLoops(in root: Int) -> [Int] {
        let loops = subtree(root).filter { if case .loop = nodes[$0] { true } else { false } }
        return loops.filter { loop in !loops.contains { $0 > loop && subtree($0) ~= loop } }
    }
}
