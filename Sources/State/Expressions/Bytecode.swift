import Reducing

/// An expression as instructions for a stack machine, so that its evaluation can pause anywhere.
struct Bytecode: Sendable {
    /// What a loop or a count goes over, or a comparison reads.
    enum Source: Sendable {
        /// The path at an index of `paths`.
        case path(Int)
        /// A place in the element of a loop, counted from the outermost.
        case element(loop: Int, [Path.Step])
    }

    enum LoopKind: Sendable { case any, all, count }

    enum Instruction: Sendable {
        case push(Operand)
        case read(Source)
        case count(Source)
        case compare(Comparison)
        /// Whether a text stands in the top.
        case contains(SubstringSearch)
        case not
        /// Makes the top true or false.
        case truth
        /// Goes on at an index if the top is false; else takes it off.
        case orElse(Int)
        case andThen(Int)
        /// Begins a loop whose body ends before an index.
        case begin(LoopKind, Source, end: Int)
        /// Ends the body of the innermost loop, which begins at an index.
        case again(Int)
    }

    /// The places in the state that are read, each once.
    var paths: [Path] = []
    var instructions: [Instruction] = []

    mutating func index(of path: Path) -> Int {
        if let index = paths.firstIndex(of: path) { return index }
        paths.append(path)
        return paths.count - 1
    }

    mutating func emit(_ instruction: Instruction) { instructions.append(instruction) }

    /// The loops that stand in no other and go over a path, and whose conditions read nothing of what they go over but the element:
    /// how many elements meet the condition then changes only with those elements, and with what else the condition reads.
    var countableLoops: [CountableLoop] {
        var loops: [CountableLoop] = []
        var index = 0
        while index < instructions.count {
            guard case .begin(_, let source, let end) = instructions[index] else {
                index += 1
                continue
            }
            if case .path(let list) = source {
                let read = Set(instructions[(index + 1)..<end].compactMap(\.path)).map { paths[$0] }
                if !read.contains(where: { $0.mayOverlap(paths[list]) }) {
                    loops.append(CountableLoop(begin: index, end: end, list: paths[list], read: read))
                }
            }
            index = end
        }
        return loops
    }
}

/// A loop whose matches can be counted once and then be kept up to date.
struct CountableLoop: Sendable {
    /// Where it begins and ends in the code.
    var begin: Int
    var end: Int
    /// What it goes over.
    var list: Path
    /// What else of the state its condition reads.
    var read: [Path]
}

extension Bytecode.Instruction {
    /// The path of the state that it reads.
    fileprivate var path: Int? {
        switch self {
        case .read(.path(let index)), .count(.path(let index)), .begin(_, .path(let index), _): index
        default: nil
        }
    }
}

extension Path {
    /// Whether something may be part of both, as far as their names tell.
    func mayOverlap(_ other: Path) -> Bool {
        zip(names, other.names).allSatisfy { $0.hasSameBytes(as: $1) }
    }
}
