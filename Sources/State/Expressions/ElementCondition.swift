public import Chronicle

/// A condition on the elements of a list.
///
/// `sift` evaluates it for many elements while it scans the columns that the condition reads. `begin` and `advance` evaluate it in
/// slices for an element that takes too many steps.
public struct ElementCondition: Sendable {
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

    public var steps: Int { siftSteps + evaluation.evaluation.steps }

    /// Finds the elements of a range that meet the condition.
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

/// Scans columns and keeps the elements that meet conditions.
final class Prefilter: ColumnReader {
    fileprivate(set) var scan: Scan
    /// The signature that an element must have for the conditions to hold.
    let needed: Signature
    let memory: ListMemory?

    init(_ scan: Scan, needed: Signature, _ memory: ListMemory?) {
        (self.scan, self.needed, self.memory) = (scan, needed, memory)
    }

    func readNothing(_ column: Int) { scan.columns.set(column, .null) }
    func read(_ column: Int, _ value: Value) { scan.columns.set(column, value) }
    func read(_ column: Int, text: String) { scan.columns.set(column, .text(text)) }
    func read(_ column: Int, texts: [String]) { scan.columns.set(column, texts: texts) }
    func endStage() -> Bool { scan.endStage() }
    func endElement() -> Bool { scan.endElement() }

    struct Condition: Sendable {
        var node: Int
        var columns: UInt64
        /// Whether it holds if all of them are missing; `nil` if that depends on other elements.
        var holdsForNothing: Bool?
    }

    /// The elements read so far, and the result for the current one.
    struct Scan {
        private let stages: [[Condition]]
        fileprivate var columns: ColumnEvaluation
        private var place: Int
        // The remaining steps; negative if the last operation exceeded them.
        private(set) var left: Int
        private var stage = 0
        private var isKept = false
        private(set) var seen = 0
        private(set) var kept: [Int] = []
        /// The last of these indices if the steps ran out during that element.
        private(set) var undecided: Int?

        /// - Parameter stepsMax: maximum number of steps; the scan stops after the element that exceeds it.
        init(_ stages: [[Condition]], _ columns: ColumnEvaluation, from place: Int, stepsMax: Int) {
            (self.stages, self.columns, self.place, left) = (stages, columns, place, stepsMax)
        }

        fileprivate mutating func endStage() -> Bool {
            isKept = true
            for index in stages[stage].indices where isKept {
                if stages[stage][index].columns & ~columns.missing == 0, let holds = stages[stage][index].holdsForNothing {
                    left -= 1
                    isKept = holds
                } else {
                    isKept = columns.evaluation.isTrue(stages[stage][index].node, left: &left)
                }
            }
            stage += 1
            return isKept && left > 0
        }

        fileprivate mutating func endElement() -> Bool {
            left -= 1
            if left < 0 {
                // The next scan rereads it with all of its steps. The first element has had all steps already.
                guard seen == 0 else { return false }
                (undecided, isKept) = (place, true)
            }
            if isKept { kept.append(place) }
            (place, seen, stage, isKept, columns.missing) = (place + 1, seen + 1, 0, false, 0)
            return left > 0
        }
    }
}

/// An evaluation whose places are in the columns of a list.
struct ColumnEvaluation: Sendable {
    /// By column, the place that it is.
    let places: [Int?]
    let parts: [(column: Int, place: Int, steps: ArraySlice<Path.Step>)]
    var evaluation: Evaluation<NoState>
    /// The columns that are missing, as a bitmap.
    var missing: UInt64 = 0

    mutating func set(_ column: Int, _ value: Value) {
        if value.isNull { missing |= 1 << UInt64(column) }
        if let place = places.span[column] { evaluation.set(.found(.value(value)), at: place) }
        if parts.isEmpty { return }
        for part in parts where part.column == column {
            evaluation.set(.found(.value(part.steps.reduce(value) { $0.part($1) ?? .null })), at: part.place)
        }
    }

    mutating func set(_ column: Int, texts: [String]) {
        if !parts.isEmpty { set(column, .list(texts.map(Value.text))) }
        if let place = places.span[column] { evaluation.set(.texts(texts), at: place) }
    }
}
