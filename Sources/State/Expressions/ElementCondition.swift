public import Reducing

/// A condition, or some sides of its outermost ands, that is asked of the elements of a list, one after the other, of which it is given
/// the fields that it reads.
public struct ElementCondition: Sendable {
    /// Where a place that the condition reads is found: in which column, and how from there.
    private enum Column: Sendable {
        case nowhere
        case whole(Int)
        case part(Int, [Path.Step])

        init(_ index: Int, _ steps: ArraySlice<Path.Step>) {
            self = steps.isEmpty ? .whole(index) : .part(index, Array(steps))
        }
    }

    /// The fields of all elements that it reads.
    public let columns: ListColumns
    private let places: [Column]
    private let conjuncts: [Range<Int>]
    // Which of them is being asked.
    private var conjunct = 0
    // Made once, because room for it costs more than most conditions.
    private var evaluation: Evaluation<NoState>

    fileprivate init(_ code: Bytecode, _ conjuncts: [Range<Int>], _ list: ListView) {
        let columns = list.columns(code.fieldNames(in: conjuncts))
        (self.columns, self.conjuncts) = (columns, conjuncts)
        places = code.places.map { place in
            let steps = place.path.steps[...]
            guard case .name(let name)? = steps.first else { return .nowhere }
            return columns.names.firstIndex { $0.hasSameBytes(as: name) }.map { Column($0, steps.dropFirst()) } ?? .nowhere
        }
        evaluation = Evaluation(code, conjuncts[0], NoState(), nil, RecordFacts(), nil, [], find: { list.element(ofID: $0) })
    }

    /// How many steps it has taken for all elements so far.
    public var steps: Int { evaluation.steps }

    /// Goes on to an element, whose fields begin at an index.
    public mutating func begin(_ values: borrowing [Value], at start: Int) {
        let places = places
        evaluation.place { place in
            switch places.span[place] {
            case .nowhere: return .nothing
            case .whole(let column): return .value(values.span[start + column])
            case .part(let column, let steps):
                let whole = values.span[start + column]
                let part = steps.reduce(Optional(whole)) { $0?.part($1) }
                return part.map(Path.Found.value) ?? .nothing
            }
        }
        conjunct = 0
        evaluation.restart(conjuncts[0])
    }

    /// Goes on for about so many steps; the answer is whether the condition holds for the element, or `nil` when it is not yet known.
    public mutating func advance(steps: Int) -> Bool? {
        while true {
            guard let holds = evaluation.advance(steps: steps) else { return nil }
            conjunct += 1
            guard holds, conjunct < conjuncts.count else { return holds }
            evaluation.restart(conjuncts[conjunct])
        }
    }
}

extension Expression {
    /// The condition, to be asked of the elements of a list: it holds for those for which each of these does.
    ///
    /// What looks through texts or lists comes last, with fields of its own: most elements are passed over before.
    public func conditions(onElementsOf list: ListView) -> [ElementCondition] {
        let parts = [conjunctRanges.filter { !code.looksThroughTexts($0) }, conjunctRanges.filter(code.looksThroughTexts)]
        return parts.filter { !$0.isEmpty }.map { ElementCondition(code, $0, list) }
    }
}

extension Bytecode {
    /// The fields of what is judged that some instructions read, each once.
    fileprivate func fieldNames(in ranges: [Range<Int>]) -> [String] {
        var names: [String] = []
        for path in ranges.flatMap({ reads(in: $0).paths }) {
            guard case .name(let name)? = path.steps.first else { continue }
            if !names.contains(where: { $0.hasSameBytes(as: name) }) { names.append(name) }
        }
        return names
    }

    /// Whether some instructions look through texts or lists, or for other elements.
    fileprivate func looksThroughTexts(_ range: Range<Int>) -> Bool {
        instructions[range].contains { instruction in
            switch instruction {
            case .begin, .readOther: true
            case .apply(let function): functions[function].looksThroughText
            default: false
            }
        }
    }
}
