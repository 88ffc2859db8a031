import Reducing

/// One expression on its way through one state.
///
/// It advances by as many steps as it is given, so that whoever computes it can let others go on in between. With tallies of the
/// state before, it looks only at the elements that came and left since.
public struct Evaluation<Reader: StateReader> {
    private struct Loop {
        var kind: LoopKind
        var elements: Elements
        /// Whether its matches are wanted, where it begins.
        var counted: Int?
        var index = 0
        var matches: Int64 = 0
        /// Of a sum, what it is so far; of a smallest or largest number that one; `null`: none.
        var number = Operand.null
        var page: [Value] = []
        var pageStart = 0

        /// The element at `index`, once it is loaded.
        var element: Value { page[index - pageStart] }

        /// Makes the page that holds the element at `index`; answers how many elements it had to make.
        mutating func load() -> Int {
            guard index >= pageStart + page.count else { return 0 }
            pageStart = index
            page = elements.page(from: index)
            return page.count
        }

        /// Takes in what the body gave of one element; what is no number is passed over.
        mutating func take(_ operand: Operand) {
            guard case .int(let value) = operand else { return }
            switch (kind, number) {
            case (.sum, _): number = Arithmetic.add.value(number, operand)
            case (.min, .int(let other)): number = .int(min(other, value))
            case (.max, .int(let other)): number = .int(max(other, value))
            default: number = operand
            }
        }
    }

    private enum Elements {
        case view(ListView)
        case values([Value])

        var count: Int {
            switch self {
            case .view(let view): view.count
            case .values(let values): values.count
            }
        }

        func page(from start: Int) -> [Value] {
            let end = min(count, start + ExpressionLimits.pageElementsMax)
            switch self {
            case .view(let view): return view.elements(start..<end)
            case .values(let values): return Array(values[start..<end])
            }
        }
    }

    private let code: Bytecode
    private var range: Range<Int>
    private var reader: Reader
    private var old: Reader?
    private let facts: RecordFacts
    // Of a condition on the elements of a list, how another one is found by its id.
    private let find: (@Sendable (Int64) -> Value?)?
    private var found: [Path.Found?]
    private var stack: [Operand] = []
    private var loops: [Loop] = []
    // What the loops are at, the outermost first.
    private var elements: [Value] = []
    private var next = 0
    private var counting: [Tallies.Adjustment]
    // Steps for the parts that were made or passed over on the way to one; not yet counted.
    private var passed = 0
    /// What is counted so far of its loops; whole once it has advanced to its end.
    public private(set) var tallies: Tallies?
    /// How many steps it has taken.
    public private(set) var steps = 0

    init(
        _ code: Bytecode, _ range: Range<Int>, _ reader: Reader, _ old: Reader?, _ facts: RecordFacts, _ tallies: Tallies?,
        _ counting: [Tallies.Adjustment], find: (@Sendable (Int64) -> Value?)? = nil
    ) {
        self.find = find
        self.code = code
        self.range = range
        self.reader = reader
        self.old = old
        self.facts = facts
        self.tallies = tallies
        self.counting = counting
        found = Array(repeating: nil, count: code.places.count)
        next = counting.last?.loop.begin ?? range.lowerBound
    }

    /// What an expression that gives a number came to, once it has advanced to its end; `nil`: it has no value.
    public var number: Int64? { if case .int(let number)? = stack.last { number } else { nil } }

    /// What stands at its places, from now on.
    mutating func place(_ found: (Int) -> Path.Found) {
        for index in self.found.indices { self.found[index] = found(index) }
    }

    /// Begins anew with some instructions where what stands at its places is known, with the room that it has; its steps are counted on.
    mutating func restart(_ range: Range<Int>) {
        self.range = range
        clear()
        next = range.lowerBound
    }

    /// Whether an element of a loop, whose condition reads nothing else, meets it.
    ///
    /// - Parameter left: the steps that it may still take; where none are left behind it, this is no answer.
    mutating func meets(_ element: Value, in body: Range<Int>, _ left: inout Int) -> Bool {
        clear()
        elements.append(element)
        run(body, &left)
        elements.removeLast()
        return pop().isTrue
    }

    /// Whether the expression holds where what stands at its places, and how many elements meet the conditions of its loops, is known.
    ///
    /// - Parameter left: the steps that it may still take; where none are left behind it, this is no answer.
    mutating func holds(where found: (Int) -> Path.Found, _ matches: ArraySlice<Int64?>, _ left: inout Int) -> Bool {
        place(found)
        clear()
        tallies?.set(matches)
        run(range, &left)
        return pop().isTrue
    }

    private mutating func clear() {
        // They hold nothing nearly always, or an answer, and to find that out is quicker than to take nothing away.
        while !stack.isEmpty { stack.removeLast() }
        if !loops.isEmpty { loops.removeAll(keepingCapacity: true) }
        if !elements.isEmpty { elements.removeAll(keepingCapacity: true) }
    }

    private mutating func run(_ range: Range<Int>, _ left: inout Int) {
        next = range.lowerBound
        while next < range.upperBound, left > 0 { left -= 1 + step(code.instructions.span[next]) }
    }

    /// Goes on for about so many steps; the answer is whether the expression holds, or `nil` when it is not yet known.
    public mutating func advance(steps: Int = 1_024) -> Bool? {
        var left = max(steps, 1)
        while true {
            while next < (counting.last?.loop.end ?? range.upperBound) {
                guard left > 0 else { return nil }
                let taken = 1 + step(code.instructions.span[next]) + passed
                passed = 0
                left -= taken
                self.steps += taken
            }
            guard let counted = counting.popLast() else { return stack.last?.isTrue ?? false }
            if case .int(let matches) = pop() { tallies?.add(counted.sign * matches, at: counted.loop.begin) }
            next = counting.last?.loop.begin ?? range.lowerBound
        }
    }

    // Carries one instruction out; answers how much more than one step it was.
    private mutating func step(_ instruction: Bytecode.Instruction) -> Int {
        next += 1
        switch instruction {
        case .push(let index): stack.append(code.constants.span[index])
        case .read(let source): stack.append(operand(source))
        case .count(let source): stack.append(.int(Int64(elements(read(source)).count)))
        case .compare(let comparison):
            let (right, left) = (pop(), pop())
            stack.append(.bool(comparison.holds(left, right)))
            return comparison.steps(left, right)
        case .fact(let fact): stack.append(facts.operand(fact))
        case .compute(let arithmetic):
            let (right, left) = (pop(), pop())
            stack.append(arithmetic.value(left, right))
        case .apply(let index):
            let (value, steps) = code.functions.span[index].value(of: pop())
            stack.append(value)
            return steps
        case .readOther(let path):
            guard case .int(let id) = pop(), var value = find?(id) else {
                stack.append(.null)
                return ExpressionLimits.stepsPerOther
            }
            for step in code.elementPaths[path] { value = value.part(step) ?? .null }
            stack.append(Operand(value))
            return ExpressionLimits.stepsPerOther
        case .andThen(let end): skip(to: end, if: false)
        case .orElse(let end): skip(to: end, if: true)
        case .begin(let kind, let source, let end):
            let begin = next - 1
            let found = read(source)
            switch found {
            case .nothing, .value(.null):
                // No list, which of most elements is so, comes to what an empty one does.
                stack.append(kind.resultOfNone)
                next = end
                return 0
            case .value, .list: break
            }
            // Only of a list whose changes are told by element.
            if counting.last?.loop.begin != begin, let matches = tallies?.matches(at: begin), case .list(let view) = found {
                stack.append(kind.result(matches: matches, of: view.count))
                next = end
                return 0
            }
            var loop = loop(kind, found)
            guard loop.elements.count > 0 else {
                if let begin = loop.counted { tallies?.set(0, at: begin) }
                stack.append(loop.kind.resultOfNone)
                next = end
                return 0
            }
            let made = loop.load()
            elements.append(loop.element)
            loops.append(loop)
            return made
        case .again(let begin): return again(begin)
        }
        return 0
    }

    private mutating func loop(_ kind: LoopKind, _ found: Path.Found) -> Loop {
        let begin = next - 1
        if let counted = counting.last, counted.loop.begin == begin {
            return Loop(kind: .count, elements: .values(counted.elements))
        }
        let elements = elements(found)
        // Only of a list whose changes are told by element.
        guard case .view = elements, tallies?.counts(at: begin) == true else {
            return Loop(kind: kind, elements: elements, number: kind == .sum ? .int(0) : .null)
        }
        return Loop(kind: kind, elements: elements, counted: begin)
    }

    private mutating func skip(to end: Int, if value: Bool) {
        guard let top = stack.last else { return }
        if top.isTrue == value {
            stack[stack.count - 1] = .bool(value)
            next = end
        } else {
            stack.removeLast()
        }
    }

    private mutating func again(_ begin: Int) -> Int {
        let value = pop()
        let holds = value.isTrue
        guard var loop = loops.popLast() else { return 0 }
        if loop.kind.isOfNumbers { loop.take(value) } else if holds { loop.matches += 1 }
        let isDecided = loop.counted == nil && (loop.kind == .any && holds || loop.kind == .all && !holds)
        loop.index += 1
        guard !isDecided, loop.index < loop.elements.count else {
            elements.removeLast()
            if let begin = loop.counted {
                tallies?.set(loop.matches, at: begin)
                stack.append(loop.kind.result(matches: loop.matches, of: loop.elements.count))
                return 0
            }
            stack.append(Self.result(of: loop, isDecided: isDecided))
            return 0
        }
        let made = loop.load()
        elements[elements.count - 1] = loop.element
        loops.append(loop)
        next = begin
        return made
    }

    private static func result(of loop: Loop, isDecided: Bool) -> Operand {
        switch loop.kind {
        case .any: .bool(isDecided)
        case .all: .bool(!isDecided)
        case .count: .int(loop.matches)
        case .sum, .min, .max: loop.number
        }
    }

    private mutating func pop() -> Operand { stack.isEmpty ? .null : stack.removeLast() }

    private mutating func operand(_ source: Bytecode.Source) -> Operand {
        switch read(source) {
        case .nothing: .null
        case .value(let value): Operand(value)
        case .list: .whole
        }
    }

    private mutating func elements(_ found: Path.Found) -> Elements {
        switch found {
        case .list(let view): .view(view)
        case .value(.list(let values)): .values(values)
        case .value(.record(let fields)): values(of: fields)
        case .nothing, .value: .values([])
        }
    }

    private mutating func values(of fields: [Value.Field]) -> Elements {
        passed += fields.count / ExpressionLimits.partsPerStep
        return .values(fields.map { $0.value })
    }

    private mutating func read(_ source: Bytecode.Source) -> Path.Found {
        switch source {
        case .path(let index):
            if let known = found.span[index] { return known }
            let isOld = code.places.span[index].isOld
            let read =
                isOld ? readOld(code.places[index].path) : code.places.span[index].path.read(from: &reader, passed: &passed)
            found[index] = read
            return read
        case .element(let loop, let path):
            // Nearly always a field of the element, which need not be copied for it.
            if code.elementPaths.span[path].count == 1 {
                passed += elements.span[loop].partCount / ExpressionLimits.partsPerStep
                return elements.span[loop].part(code.elementPaths.span[path][0]).map(Path.Found.value) ?? .nothing
            }
            var value = elements[loop]
            for step in code.elementPaths[path] {
                passed += value.partCount / ExpressionLimits.partsPerStep
                guard let part = value.part(step) else { return .nothing }
                value = part
            }
            return .value(value)
        }
    }
}

extension Evaluation {
    // Where there is no state before there is nothing in it.
    private mutating func readOld(_ path: Path) -> Path.Found {
        guard var reader = old else { return .nothing }
        defer { old = reader }
        return path.read(from: &reader, passed: &passed)
    }
}

extension Evaluation: Sendable where Reader: Sendable {}
