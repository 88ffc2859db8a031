import Chronicle

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
