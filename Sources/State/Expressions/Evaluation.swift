import Chronicle

/// A resumable evaluation of one expression in one state.
///
/// It pauses after a given number of steps, so that its caller can run other work. Given the tallies of the previous state, it counts
/// only elements that were added, removed or replaced since.
public struct Evaluation<Reader: StateReader> {
    private let tree: SyntaxTree
    private var root: Int
    private let facts: RecordFacts
    private let find: (@Sendable (Int64) -> Value?)?
    // By place; `nil` if not read yet.
    private var contents: [PlaceContent?]
    // The current elements of the enclosing loops, the outermost first.
    private var elements: [Value] = []
    // The innermost node first. A resumed evaluation starts at the root and pops them from the end.
    private var paused: [PausedNode] = []
    private var pausedLoops: [EvaluationLoop] = []
    private var counting: [Tallies.Adjustment]
    // The remaining steps; negative if the last operations exceeded them.
    private var left = 0
    private var result: Operand?
    /// The loops counted so far; complete at the end of the evaluation.
    public private(set) var tallies: Tallies?
    public private(set) var steps = 0
    private var reader: Reader
    private var old: Reader?

    init(
        _ tree: SyntaxTree, _ root: Int, in reader: Reader, after old: Reader? = nil, facts: RecordFacts = RecordFacts(),
        tallies: Tallies? = nil, counting: [Tallies.Adjustment] = [], find: (@Sendable (Int64) -> Value?)? = nil
    ) {
        (self.tree, self.root, self.reader, self.old, self.facts) = (tree, root, reader, old, facts)
        (self.tallies, self.counting, self.find) = (tallies, counting, find)
        contents = Array(repeating: nil, count: tree.places.count)
    }

    /// The value of a numeric expression at the end of the evaluation; `nil` if it has none.
    public var number: Int64? { if case .int(let number)? = result { number } else { nil } }

    /// Takes about `steps` steps; returns whether the expression holds, or `nil` if it needs more.
    ///
    /// Steps that the last operations took beyond the given ones are subtracted from those of the next call.
    public mutating func advance(steps: Int = 1_024) -> Bool? {
        left = min(left, 0) + max(steps, 1)
        let before = left
        defer { self.steps += before - left }
        while let adjustment = counting.last, let loop = tallies?.loops[adjustment.loop] {
            guard let value = value(of: loop.node) else { return nil }
            if case .int(let matches) = value { tallies?.known[adjustment.loop]? += adjustment.sign * matches }
            counting.removeLast()
        }
        if result == nil { result = value(of: root) }
        return result?.isTrue
    }

    mutating func set(_ content: PlaceContent, at place: Int) { contents[place] = content }

    /// Starts over at another root; keeps the contents of places, the allocations and the number of steps.
    mutating func restart(_ root: Int) {
        (self.root, result, left) = (root, nil, 0)
        forgetPause()
    }

    private mutating func forgetPause() {
        if !paused.isEmpty { paused.removeAll() }
        if !pausedLoops.isEmpty { pausedLoops.removeAll() }
    }

    /// Evaluates a node without pausing.
    /// - Parameter left: the remaining steps. The result is undefined if none are left afterwards.
    mutating func isTrue(_ node: Int, left: inout Int) -> Bool {
        self.left = left
        defer { left = self.left }
        if let value = value(of: node) { return value.isTrue }
        forgetPause()
        return false
    }

    /// Evaluates the body of an outermost loop for an element.
    mutating func isTrue(_ node: Int, for element: Value, left: inout Int) -> Bool {
        elements.append(element)
        defer { elements.removeLast() }
        return isTrue(node, left: &left)
    }

    /// Evaluates the expression given the numbers of matches of its loops; `left` is as for `isTrue`.
    mutating func holds(where matches: ArraySlice<Int64?>, left: inout Int) -> Bool {
        if let known = tallies?.known.indices { tallies?.known.replaceSubrange(known, with: matches) }
        return isTrue(root, left: &left)
    }

    /// The value of a node; `nil` if the steps ran out before a leaf, and `paused` then records how to resume.
    @inline(__always) private mutating func value(of index: Int) -> Operand? {
        // Inlined for leaves, because a call costs more than most of them.
        switch tree.nodes.span[index] {
        case .constant(let constant): takeStep() ? tree.constants.span[constant] : nil
        case .read(let source): takeStep() ? operand(source) : nil
        default: value(ofInner: index)
        }
    }

    private mutating func value(ofInner index: Int) -> Operand? {
        switch tree.nodes.span[index] {
        case .constant, .read: return value(of: index)
        case .fact(let fact): return takeStep() ? facts.operand(fact) : nil
        case .count(let source): return takeStep() ? .int(Int64(elements(read(source)).count)) : nil
        case .other(let id, let part):
            guard let id = value(of: id) else { return nil }
            left -= 1 + ExpressionLimits.stepsPerOther
            guard case .int(let id) = id, let element = find?(id) else { return .null }
            return Operand(tree.parts[part].steps.reduce(element) { $0.part($1) ?? .null })
        case .apply(let function, let operand):
            guard let operand = value(of: operand) else { return nil }
            left -= 1
            return tree.functions.span[function].value(of: operand, &left)
        case .compare(let comparison, let one, let other):
            guard let one = resumed(index)?.value ?? value(of: one) else { return nil }
            guard let other = value(of: other) else { return pause(PausedNode(node: index, value: one)) }
            left -= 1
            return .bool(comparison.holds(one, other, &left))
        case .compute(let row):
            var (position, result) = resumed(index).map { ($0.position, $0.value) } ?? (row.lowerBound, .null)
            while position < row.upperBound {
                let term = tree.terms.span[position]
                guard let value = value(of: term.node) else {
                    return pause(PausedNode(node: index, position: position, value: result))
                }
                result = position == row.lowerBound ? value : term.arithmetic.value(result, value)
                if position > row.lowerBound { left -= 1 }
                position += 1
            }
            return result
        case .and(let row): return join(row, until: false, for: index)
        case .or(let row): return join(row, until: true, for: index)
        case .loop(let kind, let source, let body): return loop(kind, source, body, for: index)
        }
    }

    /// Takes one step; returns false if none are left.
    private mutating func takeStep() -> Bool {
        guard left > 0 else { return false }
        left -= 1
        return true
    }

    private mutating func pause(_ node: PausedNode) -> Operand? {
        paused.append(node)
        return nil
    }

    /// Pops the progress of a node that paused; `nil` if it didn't.
    @inline(__always) private mutating func resumed(_ node: Int) -> PausedNode? {
        paused.isEmpty || paused[paused.count - 1].node != node ? nil : paused.removeLast()
    }

    /// Evaluates a row of conditions up to the first one with the decisive value (short circuit).
    private mutating func join(_ row: Range<Int>, until decisive: Bool, for node: Int) -> Operand? {
        for position in (resumed(node)?.position ?? row.lowerBound)..<row.upperBound {
            guard let operand = value(of: tree.terms.span[position].node) else {
                return pause(PausedNode(node: node, position: position))
            }
            left -= 1
            if operand.isTrue == decisive { return .bool(decisive) }
        }
        return .bool(!decisive)
    }

    private mutating func loop(_ kind: LoopKind, _ source: SyntaxTree.Source, _ body: Int, for node: Int) -> Operand? {
        if !pausedLoops.isEmpty, pausedLoops[pausedLoops.count - 1].node == node { return run(pausedLoops.removeLast(), body) }
        guard takeStep() else { return nil }
        let content = read(source)
        // Fast path: most elements lack most lists. The result is that of an empty list.
        switch content {
        case .found(.nothing), .found(.value(.null)): return kind.resultOfNone
        case .texts(let texts) where kind == .any || kind == .all: return run(kind, texts, body)
        case .found, .texts: break
        }
        var loop: EvaluationLoop
        if let adjustment = counting.last, tallies?.loops[adjustment.loop].node == node {
            loop = EvaluationLoop(node, .count, .values(adjustment.elements))
        } else {
            loop = EvaluationLoop(node, kind, elements(content))
            // Only lists of the state have changes per element.
            if case .found(.list(let view)) = content, let tallies, let index = tallies.index(of: node) {
                if let matches = tallies.known[index] { return kind.result(matches: matches, of: view.count) }
                loop.tally = index
            }
        }
        guard loop.elements.count > 0 else {
            if let tally = loop.tally { tallies?.known[tally] = 0 }
            return loop.kind.resultOfNone
        }
        return run(consume loop, body)
    }

    /// Runs an `any` or `all` over texts; columns are never read by an evaluation that is resumed.
    private mutating func run(_ kind: LoopKind, _ texts: [String], _ body: Int) -> Operand? {
        elements.append(.null)
        defer { elements.removeLast() }
        for text in texts {
            elements[elements.count - 1] = .text(text)
            guard let value = value(of: body) else { return nil }
            left -= 1
            if value.isTrue == (kind == .any) { return .bool(kind == .any) }
        }
        return kind.resultOfNone
    }

    // Consumes the loop, because a copy costs more than evaluating most bodies.
    private mutating func run(_ loop: consuming EvaluationLoop, _ body: Int) -> Operand? {
        left -= loop.load()
        elements.append(loop.element)
        defer { elements.removeLast() }
        while true {
            guard let value = value(of: body) else {
                pausedLoops.append(loop)
                return nil
            }
            left -= 1
            let isDecided = loop.add(value) && loop.tally == nil
            loop.index += 1
            guard !isDecided, loop.index < loop.elements.count else { break }
            left -= loop.load()
            elements[elements.count - 1] = loop.element
        }
        if let tally = loop.tally { tallies?.known[tally] = loop.matches }
        return loop.result
    }

    private mutating func operand(_ source: SyntaxTree.Source) -> Operand {
        // Fast path without a copy.
        if case .place(let index) = source, case .found(.value(let value))? = contents.span[index] { return Operand(value) }
        return switch read(source) {
        case .found(.nothing): .null
        case .found(.value(let value)): Operand(value)
        case .found(.list), .texts: .whole
        }
    }

    private mutating func elements(_ content: PlaceContent) -> LoopElements {
        switch content {
        case .texts(let texts): return .texts(texts)
        case .found(.list(let view)): return .view(view)
        case .found(.value(.list(let values))): return .values(values)
        case .found(.value(.record(let fields))):
            left -= fields.count / ExpressionLimits.partsPerStep
            return .values(fields.map { $0.value })
        case .found: return .values([])
        }
    }

    private mutating func read(_ source: SyntaxTree.Source) -> PlaceContent {
        switch source {
        case .place(let index):
            if let known = contents.span[index] { return known }
            let content = PlaceContent.found(read(tree.places[index]))
            contents[index] = content
            return content
        case .element(let loop, let part):
            let steps = tree.parts.span[part].steps
            if let position = tree.parts.span[part].position, case .record(let fields) = elements.span[loop] {
                let value = fields[position].value
                return .found(steps.count == 1 ? .value(value) : read(steps.dropFirst(), of: value))
            }
            // Fast path for a field of the element: avoids copying the element.
            guard steps.count == 1 else { return .found(read(steps[...], of: elements[loop])) }
            left -= elements.span[loop].partCount / ExpressionLimits.partsPerStep
            return .found(elements.span[loop].part(steps[0]).map(Path.Found.value) ?? .nothing)
        }
    }

    private mutating func read(_ steps: ArraySlice<Path.Step>, of value: Value) -> Path.Found {
        var passed = 0
        defer { left -= passed / ExpressionLimits.partsPerStep }
        return value.part(steps, passed: &passed).map(Path.Found.value) ?? .nothing
    }

    private mutating func read(_ place: SyntaxTree.Place) -> Path.Found {
        var passed = 0
        defer { left -= passed }
        return place.isOld ? old?.read(place.path, passed: &passed) ?? .nothing : reader.read(place.path, passed: &passed)
    }
}

extension Evaluation: Sendable where Reader: Sendable {}

// These types are not nested in `Evaluation`, because types nested in an unspecialized generic type are slower.

/// The progress of a loop, between two elements or within one.
struct EvaluationLoop {
    var node: Int
    var kind: LoopKind
    var elements: LoopElements
    /// The index of its number in the tallies, if all elements must be counted for it.
    var tally: Int?
    var index = 0
    var matches: Int64 = 0
    /// The sum, minimum or maximum of the elements so far; `null` for none.
    var number = Operand.null
    // The last page read from a list view.
    private var page: [Value] = []
    private var pageRange = 0..<0

    init(_ node: Int, _ kind: LoopKind, _ elements: LoopElements) {
        (self.node, self.kind, self.elements) = (node, kind, elements)
        if kind == .sum { number = .int(0) }
    }

    var element: Value {
        switch elements {
        case .view: page[index - pageRange.lowerBound]
        case .values(let values): values[index]
        case .texts(let texts): .text(texts[index])
        }
    }

    /// Reads the page of the element at `index`, unless it is already loaded; returns the number of elements read.
    mutating func load() -> Int {
        guard index >= pageRange.upperBound else { return 0 }
        pageRange = index..<min(elements.count, index + ExpressionLimits.pageElementsMax)
        if case .view(let view) = elements { page = view.elements(pageRange) }
        return pageRange.count
    }

    /// Adds the value of an element; returns whether the result is decided.
    mutating func add(_ operand: Operand) -> Bool {
        if case .int(let value) = operand, kind.isOfNumbers {
            switch (kind, number) {
            case (.sum, _): number = Arithmetic.add.value(number, operand)
            case (.min, .int(let other)): number = .int(min(other, value))
            case (.max, .int(let other)): number = .int(max(other, value))
            default: number = operand
            }
        }
        if operand.isTrue { matches += 1 }
        return kind == .any && operand.isTrue || kind == .all && !operand.isTrue
    }

    var result: Operand { kind.isOfNumbers ? number : kind.result(matches: matches, of: elements.count) }
}

/// The content of a place; only a column of a list is `texts`.
enum PlaceContent {
    case found(Path.Found)
    case texts([String])
}

enum LoopElements {
    case view(ListView)
    case values([Value])
    case texts([String])

    var count: Int {
        switch self {
        case .view(let view): view.count
        case .values(let values): values.count
        case .texts(let texts): texts.count
        }
    }
}

/// The progress of a node at which the evaluation has paused.
struct PausedNode {
    var node: Int
    /// The position in a row of operands.
    var position = 0
    /// The value of the operands so far.
    var value = Operand.null
}
