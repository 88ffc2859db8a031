extension ConditionTree {
    /// What a node gives for an element, where a loop is at a member.
    func operand(_ index: Int, of element: some ColumnSource, _ member: Operand, _ steps: inout Int) -> Operand {
        var index = index
        while true {
            steps += 1
            switch nodes.span[index] {
            case .constant(let constant): return constants.span[constant]
            case .column(let column): return element.operand(column)
            case .count(let column): return .int(Int64(element.members(column).count))
            case .member: return member
            case .apply(let function, let node):
                let (value, more) = functions.span[function].value(of: operand(node, of: element, member, &steps))
                steps += more
                return value
            case .compare(let comparison, let left, let right):
                let (left, right) = (operand(left, of: element, member, &steps), operand(right, of: element, member, &steps))
                steps += comparison.steps(left, right)
                return .bool(comparison.holds(left, right))
            case .compute(let arithmetic, let left, let right):
                return arithmetic.value(
                    operand(left, of: element, member, &steps), operand(right, of: element, member, &steps))
            case .both(let left, let right):
                if !operand(left, of: element, member, &steps).isTrue { return .bool(false) }
                index = right
            case .either(let left, let right):
                if operand(left, of: element, member, &steps).isTrue { return .bool(true) }
                index = right
            case .loop(let kind, let column, let body):
                return .bool(loop(kind, body, element.members(column), of: element, &steps))
            }
        }
    }

    private func loop(
        _ kind: LoopKind, _ body: Int, _ members: ColumnMembers, of element: some ColumnSource, _ steps: inout Int
    ) -> Bool {
        switch members {
        case .none: break
        case .texts(let texts):
            for text in texts {
                let holds = operand(body, of: element, .text(text), &steps).isTrue
                if holds != (kind == .all) { return holds }
            }
        case .values(let values):
            for value in values {
                let holds = operand(body, of: element, Operand(value), &steps).isTrue
                if holds != (kind == .all) { return holds }
            }
        }
        return kind == .all
    }
}
