public import Chronicle

/// A condition on the elements of a list.
///
/// `sift` evaluates it for many elements while it scans the columns that the condition reads. `begin` and `advance` evaluate it in
/// slices for an element that takes too many steps.
public struct ElementCondition: Sendable {
    /// The fields that it reads.
    public let columns: ListColumns
    private let root: Int
    // Most elements fail the conditions on short fields, so those that read whole texts or lists come last.
    private let stages: [[Prefilter.Condition]]
    // By stage, the columns that no earlier stage reads, as a bitmap.
    private let stageColumns: [UInt64]
    // The signature that an element must have for the condition to hold.
    private let needed: Signature
    private var siftSteps = 0
    // The index of an element that exceeded the step limit of `sift`.
    private var undecided: Int?
    private var isDecided = true
    // Reused, because an allocation costs more than evaluating most conditions.
    private var evaluation: ColumnEvaluation

    fileprivate init(_ tree: SyntaxTree, _ root: Int, _ conjuncts: [Int], _ list: ListView) {
        self.root = root
        var names: [String] = []
        for path in tree.reads(in: root).paths {
            guard let name = path.names.first, !names.contains(where: { $0.hasSameBytes(as: name) }) else { continue }
            names.append(name)
        }
        let columns = list.columns(names)
        self.columns = columns
        func bits(_ node: Int) -> UInt64 {
            let paths = tree.reads(in: node).paths
            return columns.names.indices.reduce(0) { bits, column in
                let isRead = paths.contains { $0.steps.first == .name(columns.names[column]) }
                return isRead ? bits | 1 << UInt64(column) : bits
            }
        }
        stages = [false, true].map { readsTextsOrLists in
            conjuncts.filter { tree.readsTextsOrLists($0) == readsTextsOrLists }.map {
                .init(node: $0, columns: bits($0), holdsForNothing: tree.holdsForNothing($0))
            }
        }
        let (first, second) = (stages[0].reduce(0) { $0 | $1.columns }, stages[1].reduce(0) { $0 | $1.columns })
        stageColumns = [first, second & ~first]
        needed = tree.signature(neededBy: root, of: bits, texts: columns.texts)
        let paths = tree.places.map(\.path)
        evaluation = ColumnEvaluation(
            places: columns.names.map { paths.firstIndex(of: Path([.name($0)])) },
            parts: paths.enumerated().compactMap { place, path in
                guard path.steps.count > 1, let column = columns.names.firstIndex(where: { path.steps[0] == .name($0) }) else {
                    return nil
                }
                return (column, place, path.steps.dropFirst())
            }, evaluation: Evaluation(tree, root, in: NoState(), find: { list.element(ofID: $0) }))
    }

    /// Total number of steps taken.
    public var steps: Int { siftSteps + evaluation.evaluation.steps }

    /// Finds the elements of a range that meet the condition.
    ///
    /// - Parameters:
    ///   - found: receives the indices of these elements, and the index of an element that takes too many steps.
    ///   - stepsMax: maximum number of steps; may stop within an element.
    ///   - memory: a cache that makes later calls faster.
    /// - Returns: the number of elements read, at least one.
    public mutating func sift(_ places: Range<Int>, _ found: inout [Int], stepsMax: Int, memory: ListMemory? = nil) -> Int {
        let scan = Prefilter.Scan(stages, evaluation, from: places.lowerBound, stepsMax: stepsMax)
        let prefilter = Prefilter(scan, needed: needed, memory)
        columns.show(places, stageColumns, prefilter)
        siftSteps += stepsMax - prefilter.scan.left
        undecided = prefilter.scan.undecided
        found += prefilter.scan.kept
        return prefilter.scan.seen
    }

    /// Starts the evaluation for an element that the last `sift` has found.
    public mutating func begin(at place: Int) {
        isDecided = place != undecided
        if isDecided { return }
        for (column, value) in columns.values(place..<place + 1).enumerated() { evaluation.set(column, value) }
        evaluation.evaluation.restart(root)
    }

    /// Takes about `steps` steps; returns whether the condition holds for the element, or `nil` if it needs more.
    public mutating func advance(steps: Int) -> Bool? { isDecided ? true : evaluation.evaluation.advance(steps: steps) }
}

extension Expression {
    /// Returns the condition prepared for the elements of a list.
    public func condition(onElementsOf list: ListView) -> ElementCondition { ElementCondition(tree, root, conjunctRoots, list) }
}

extension SyntaxTree {
    /// Whether a node holds for an element without fields; `nil` if that depends on other elements.
    fileprivate func holdsForNothing(_ node: Int) -> Bool? {
        if nodes[subtree(node)].contains(where: { if case .other = $0 { true } else { false } }) { return nil }
        var (evaluation, left) = (Evaluation(self, node, in: NoState()), Int.max)
        return evaluation.isTrue(node, left: &left)
    }

    /// The signature that an element must have for a node to hold.
    ///
    /// - Parameters:
    ///   - columns: the columns that a node reads, as a bitmap.
    ///   - texts: the columns that are texts or lists of texts, as a bitmap.
    fileprivate func signature(neededBy node: Int, of columns: (Int) -> UInt64, texts: UInt64) -> Signature {
        let parts = children(of: node)
        switch nodes[node] {
        case .and: return parts.reduce(Signature()) { $0.union(signature(neededBy: $1, of: columns, texts: texts)) }
        case .or:
            let needs = parts.map { signature(neededBy: $0, of: columns, texts: texts) }
            return needs.dropFirst().reduce(needs[0]) { $0.intersection($1) }
        default:
            let column = columns(node)
            guard column.nonzeroBitCount == 1, holdsForNothing(node) == false else { return Signature() }
            return Signature(fields: column, texts: column & texts == 0 ? 0 : textsNeeded(by: node))
        }
    }

    /// The bits of the texts that a text or a list of texts must contain for a node to hold.
    private func textsNeeded(by node: Int) -> UInt64 {
        switch nodes[node] {
        case .and(let row): return terms[row].reduce(0) { $0 | textsNeeded(by: $1.node) }
        case .or(let row): return terms[row].reduce(.max) { $0 & textsNeeded(by: $1.node) }
        case .loop(.any, _, let body): return textsNeeded(by: body)
        case .apply(let function, let text):
            guard case .test(_, let search) = functions[function], case .read = nodes[text] else { return 0 }
            return search.signature.texts
        case .compare(.equal, let left, let right):
            guard case .constant(let constant) = nodes[right], case .text(let text) = constants[constant] else { return 0 }
            var compared = left
            if case .apply(let function, let operand) = nodes[left], case .lower = functions[function] { compared = operand }
            guard case .read = nodes[compared] else { return 0 }
            return Signature(text: text).texts
        default: return 0
        }
    }
}
