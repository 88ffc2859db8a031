/// An expression as instructions for a stack machine, so that its evaluation can pause anywhere.
struct Program: Sendable {
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
}
