public import Reducing
import Values

/// A condition that is asked of the elements of a list: first of many at once, in their places, then of one after the other that may still
/// meet it, of which it is given the fields that it reads.
public struct ElementCondition: Sendable {
    /// Where a place that the condition reads is found: in which column, and how from there.
    private enum Column: Sendable {
        case nowhere
        case whole(Int)
        case part(Int, [Path.Step])

        init(_ index: Int, _ steps: ArraySlice<Path.Step>) {
            self = steps.isEmpty ? .whole(index) : .part(index, Array(steps))
        }

        /// Where it stands as a whole.
        var index: Int? { if case .whole(let index) = self { index } else { nil } }
    }

    /// The fields of all elements that it reads.
    public let columns: ListColumns
    private let places: [Column]
    // Asked first, of many elements at once.
    private let direct: DirectConditions
    // What an element has for which they may hold.
    private let needed: Signature
    private var directSteps = 0
    // All conditions, those that a sieve asks first.
    private let conjuncts: [Range<Int>]
    private let sievedCount: Int
    // The place of an element of which the sieve could not find out in its steps whether it meets them.
    private var undecided: Int?
    // Which of them is being asked.
    private var conjunct = 0
    // Made once, because room for it costs more than most conditions.
    private var evaluation: Evaluation<NoState>

    fileprivate init(_ code: Bytecode, _ conjuncts: [Range<Int>], _ list: ListView) {
        let columns = list.columns(code.fieldNames(in: conjuncts))
        let places = code.places.map { place in
            let steps = place.path.steps[...]
            guard case .name(let name)? = steps.first else { return Column.nowhere }
            return columns.names.firstIndex { $0.hasSameBytes(as: name) }.map { Column($0, steps.dropFirst()) } ?? .nowhere
        }
        let indices = places.map(\.index)
        var direct = DirectConditions(code)
        var (sieved, others): ([Range<Int>], [Range<Int>]) = ([], [])
        for range in conjuncts {
            if direct.add(code, range, columns: indices) { sieved.append(range) } else { others.append(range) }
        }
        (self.conjuncts, sievedCount) = (sieved + others, sieved.count)
        (self.direct, needed) = (direct, direct.needed(texts: columns.texts))
        (self.columns, self.places) = (columns, places)
        evaluation = Evaluation(code, conjuncts[0], NoState(), nil, RecordFacts(), nil, [], find: { list.element(ofID: $0) })
    }

    /// How many steps it has taken for all elements so far.
    public var steps: Int { directSteps + evaluation.steps }

    /// Whether nothing is left to be asked of the elements that passed the sieve, but for one that takes more steps than a sieve has.
    public var isSieve: Bool { sievedCount == conjuncts.count }

    /// Looks for those of the elements of a range that may meet it.
    ///
    /// - Parameters:
    ///   - found: gets their places.
    ///   - stepsMax: behind so many it looks no further, be it within an element.
    ///   - memory: makes the next look quicker.
    /// - Returns: how many it looked at, at least one.
    public mutating func sift(_ places: Range<Int>, _ found: inout [Int], stepsMax: Int, memory: ListMemory? = nil) -> Int {
        guard !direct.isEmpty else {
            found += places
            return places.count
        }
        let sieve = Sieve(direct, needed: needed, from: places.lowerBound, stepsMax: stepsMax, memory)
        columns.show(places, direct.stages.map(\.columns), sieve)
        directSteps += sieve.steps
        undecided = sieve.undecided
        found += sieve.kept
        return sieve.seen
    }

    /// Goes on to the element at a place, which passed the last sieve.
    public mutating func begin(at place: Int) {
        conjunct = place == undecided ? 0 : sievedCount
        guard conjunct < conjuncts.count else { return }
        let (values, places) = (columns.values(place..<place + 1), places)
        evaluation.place { place in
            switch places.span[place] {
            case .nowhere: return .nothing
            case .whole(let column): return .value(values.span[column])
            case .part(let column, let steps):
                let whole = values.span[column]
                let part = steps.reduce(Optional(whole)) { $0?.part($1) }
                return part.map(Path.Found.value) ?? .nothing
            }
        }
        evaluation.restart(conjuncts[conjunct])
    }

    /// Goes on for about so many steps; the answer is whether the condition holds for the element, or `nil` when it is not yet known.
    public mutating func advance(steps: Int) -> Bool? {
        while conjunct < conjuncts.count {
            guard let holds = evaluation.advance(steps: steps) else { return nil }
            guard holds else { return false }
            conjunct += 1
            if conjunct < conjuncts.count { evaluation.restart(conjuncts[conjunct]) }
        }
        return true
    }
}

extension Expression {
    /// The condition, to be asked of the elements of a list.
    ///
    /// What looks through texts or lists comes last: most elements are passed over before.
    public func condition(onElementsOf list: ListView) -> ElementCondition {
        let ranges = conjunctRanges
        return ElementCondition(
            code, ranges.filter { !code.looksThroughTexts($0) } + ranges.filter(code.looksThroughTexts), list)
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
    func looksThroughTexts(_ range: Range<Int>) -> Bool {
        instructions[range].contains { instruction in
            switch instruction {
            case .begin, .readOther: true
            case .apply(let function): functions[function].looksThroughText
            default: false
            }
        }
    }
}
