import Reducing

/// An expression as instructions for a stack machine, so that its evaluation can pause anywhere.
struct Bytecode: Sendable {
    /// A place in one of the states that an expression may read.
    struct Place: Sendable, Equatable {
        var path: Path
        /// Whether it is meant in the state before the record.
        var isOld = false
    }

    /// What a loop or a count goes over, or a comparison reads.
    enum Source: Sendable {
        /// The place at an index of `places`.
        case path(Int)
        /// A place in the element of a loop, counted from the outermost: the way at an index of `elementPaths`.
        case element(loop: Int, Int)
    }

    /// Holds nothing but numbers, so that it costs nothing to take one: what else it needs stands beside the instructions.
    enum Instruction: Sendable {
        /// Of the constant at an index.
        case push(Int)
        case read(Source)
        case count(Source)
        case fact(RecordFact)
        case compare(Comparison)
        case compute(Arithmetic)
        /// Puts what the function at an index gives of the top in its place.
        case apply(Int)
        /// Puts a place in the element of the list that has the top as its id in its place: the way at an index of `elementPaths`.
        case readOther(Int)
        /// Goes on at an index if the top is false; else takes it off.
        case orElse(Int)
        case andThen(Int)
        /// Begins a loop whose body ends before an index.
        case begin(LoopKind, Source, end: Int)
        /// Ends the body of the innermost loop, which begins at an index.
        case again(Int)
    }

    /// The places that are read, each once.
    var places: [Place] = []
    var instructions: [Instruction] = []
    private(set) var constants: [Operand] = []
    private(set) var functions: [Function] = []
    private(set) var elementPaths: [[Path.Step]] = []

    mutating func index(of place: Place) -> Int {
        if let index = places.firstIndex(of: place) { return index }
        places.append(place)
        return places.count - 1
    }

    mutating func emit(_ instruction: Instruction) { instructions.append(instruction) }

    mutating func emit(pushing constant: Operand) {
        emit(.push(constants.count))
        constants.append(constant)
    }

    mutating func emit(applying function: Function) {
        emit(.apply(functions.count))
        functions.append(function)
    }

    /// Steps down from the element whose id is on top.
    mutating func emit(readingOther steps: [Path.Step]) {
        emit(.readOther(elementPaths.count))
        elementPaths.append(steps)
    }

    /// Steps down from the element of a loop.
    mutating func source(in loop: Int, _ steps: [Path.Step]) -> Source {
        elementPaths.append(steps)
        return .element(loop: loop, elementPaths.count - 1)
    }

    /// The loops that stand in no other and go over a path, and whose conditions read nothing of what they go over but the element:
    /// how many elements meet the condition then changes only with those elements, and with what else the condition reads.
    func countableLoops(in range: Range<Int>) -> [CountableLoop] {
        var loops: [CountableLoop] = []
        var index = range.lowerBound
        while index < range.upperBound {
            guard case .begin(let kind, let source, let end) = instructions[index] else {
                index += 1
                continue
            }
            if case .path(let list) = source, !kind.isOfNumbers {
                let reads = reads(in: (index + 1)..<end)
                let (list, read) = (places[list], reads.paths)
                let isOfOneState = reads.facts.isEmpty && reads.oldPaths.isEmpty && !list.isOld
                if isOfOneState, !read.contains(where: { $0.mayOverlap(list.path) }) {
                    loops.append(CountableLoop(kind: kind, begin: index, end: end, list: list.path, read: read))
                }
            }
            index = end
        }
        return loops
    }

    /// The fields of the element that a loop which stands in no other reads; `nil`: the whole element.
    func elementFields(of loop: CountableLoop) -> [String]? {
        var fields: [String] = []
        for instruction in instructions[loop.begin + 1..<loop.end] {
            switch instruction {
            case .read(.element(0, let path)), .count(.element(0, let path)), .begin(_, .element(0, let path), _):
                guard case .name(let name)? = elementPaths[path].first else { return nil }
                if !fields.contains(where: { $0.hasSameBytes(as: name) }) { fields.append(name) }
            default: break
            }
        }
        return fields
    }

    /// What some instructions read, each place once, in the order in which they name them.
    func reads(in range: Range<Int>) -> Reads {
        var reads = Reads()
        for instruction in instructions[range] {
            switch instruction {
            case .read(.path(let index)), .count(.path(let index)), .begin(_, .path(let index), _):
                let place = places[index]
                if place.isOld {
                    if !reads.oldPaths.contains(place.path) { reads.oldPaths.append(place.path) }
                } else if !reads.paths.contains(place.path) {
                    reads.paths.append(place.path)
                }
            case .fact(let fact): reads.facts.insert(fact)
            default: break
            }
        }
        return reads
    }
}

/// A loop whose matches can be counted once and then be kept up to date.
struct CountableLoop: Sendable {
    var kind: LoopKind
    /// Where it begins and ends in the code.
    var begin: Int
    var end: Int
    /// What it goes over.
    var list: Path
    /// What else of the state its condition reads.
    var read: [Path]
}

extension Path {
    /// Whether something may be part of both, as far as their names tell.
    func mayOverlap(_ other: Path) -> Bool {
        zip(names, other.names).allSatisfy { $0.hasSameBytes(as: $1) }
    }
}
