extension DirectConditions {
    /// The first node of what some instructions leave on the stack of the machine; `nil` where that is no tree.
    static func tree(
        _ code: Bytecode, _ range: Range<Int>, _ columns: [Int?], isInLoop: Bool, _ nodes: inout [Node]
    ) -> Int? {
        func add(_ node: Node) -> Int {
            nodes.append(node)
            return nodes.count - 1
        }
        var stack: [Int] = []
        var next = range.lowerBound
        while next < range.upperBound {
            let instruction = code.instructions[next]
            next += 1
            switch instruction {
            case .push(let index): stack.append(add(.constant(index)))
            case .read(.path(let place)):
                guard let column = columns[place] else { return nil }
                stack.append(add(.column(column)))
            case .read(.element(0, let path)) where isInLoop && code.elementPaths[path].isEmpty: stack.append(add(.member))
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
                guard let left = stack.popLast(), let right = tree(code, next..<end, columns, isInLoop: isInLoop, &nodes) else {
                    return nil
                }
                if case .andThen = instruction {
                    stack.append(add(.both(left, right)))
                } else {
                    stack.append(add(.either(left, right)))
                }
                next = end
            case .begin(let kind, .path(let place), let end):
                // The last instruction of the loop is that it goes on.
                guard !isInLoop, kind == .any || kind == .all, let column = columns[place],
                    let body = tree(code, next..<end - 1, columns, isInLoop: true, &nodes)
                else { return nil }
                stack.append(add(.loop(kind, column: column, body)))
                next = end
            case .read, .count, .fact, .readOther, .begin, .again: return nil
            }
        }
        return stack.count == 1 ? stack[0] : nil
    }
}
