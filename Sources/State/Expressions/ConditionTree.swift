/// What some instructions compute of the fields of an element, as a tree.
///
/// It is walked in one go, which is quicker by far than a stack machine that may pause anywhere, and no further than its steps allow. Loops in
/// loops, and what asks for other elements, are none.
struct ConditionTree: Sendable {
    /// Holds nothing but numbers, as an instruction does.
    enum Node: Sendable {
        case constant(Int)
        case column(Int)
        /// How many members that has.
        case count(column: Int)
        /// What the loop is at.
        case member
        case apply(Int, to: Int)
        case compare(Comparison, Int, Int)
        case compute(Arithmetic, Int, Int)
        case both(Int, Int)
        case either(Int, Int)
        /// Whether any member of what stands in a column meets a condition, or all do.
        case loop(LoopKind, column: Int, Int)
    }

    let constants: [Operand]
    let functions: [Function]
    private(set) var nodes: [Node] = []

    init(_ code: Bytecode) { (constants, functions) = (code.constants, code.functions) }

    /// Adds what some instructions leave on the stack of the machine, and gives its first node; `nil` where that is no tree.
    ///
    /// - Parameters:
    ///   - depth: in how many loops the instructions stand whose elements have the columns.
    ///   - column: where stands what is read.
    mutating func add(
        _ code: Bytecode, _ range: Range<Int>, depth: Int = 0, column: (Bytecode.Source) -> Int?
    ) -> Int? {
        add(code, range, depth, isInLoop: false, column)
    }

    private mutating func add(
        _ code: Bytecode, _ range: Range<Int>, _ depth: Int, isInLoop: Bool, _ column: (Bytecode.Source) -> Int?
    ) -> Int? {
        var stack: [Int] = []
        var next = range.lowerBound
        while next < range.upperBound {
            let instruction = code.instructions[next]
            next += 1
            switch instruction {
            case .push(let index): stack.append(add(.constant(index)))
            case .read(.element(depth, let path)) where isInLoop && code.elementPaths[path].isEmpty: stack.append(add(.member))
            case .read(let source):
                guard let column = column(source) else { return nil }
                stack.append(add(.column(column)))
            case .count(let source):
                guard let column = column(source) else { return nil }
                stack.append(add(.count(column: column)))
            case .apply(let function):
                guard let value = stack.popLast() else { return nil }
                stack.append(add(.apply(function, to: value)))
            case .compare(let comparison):
                guard let right = stack.popLast(), let left = stack.popLast() else { return nil }
                stack.append(add(.compare(comparison, left, right)))
            case .compute(let arithmetic):
                guard let right = stack.popLast(), let left = stack.popLast() else { return nil }
                stack.append(add(.compute(arithmetic, left, right)))
            case .andThen(let end), .orElse(let end):
                guard let left = stack.popLast(), let right = add(code, next..<end, depth, isInLoop: isInLoop, column) else {
                    return nil
                }
                if case .andThen = instruction {
                    stack.append(add(.both(left, right)))
                } else {
                    stack.append(add(.either(left, right)))
                }
                next = end
            case .begin(let kind, let source, let end):
                // The last instruction of the loop is that it goes on.
                guard !isInLoop, kind == .any || kind == .all, let list = column(source),
                    let body = add(code, next..<end - 1, depth, isInLoop: true, column)
                else { return nil }
                stack.append(add(.loop(kind, column: list, body)))
                next = end
            case .fact, .readOther, .again: return nil
            }
        }
        return stack.count == 1 ? stack[0] : nil
    }

    private mutating func add(_ node: Node) -> Int {
        nodes.append(node)
        return nodes.count - 1
    }

    /// The columns that a node reads.
    func columns(of root: Int) -> Set<Int> {
        switch nodes[root] {
        case .constant, .member: []
        case .column(let column), .count(let column): [column]
        case .apply(_, let node): columns(of: node)
        case .compare(_, let left, let right), .compute(_, let left, let right), .both(let left, let right),
            .either(let left, let right):
            columns(of: left).union(columns(of: right))
        case .loop(_, let column, let body): columns(of: body).union([column])
        }
    }
}
