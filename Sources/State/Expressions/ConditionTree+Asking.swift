extension ConditionTree {
    /// What a node gives for an element, where a loop is at a member.
    ///
    /// - Parameter left: the steps that it may still take; where none are left behind it, what it gives is no answer.
    func operand(_ index: Int, of element: some ColumnSource, _ member: Operand, _ left: inout Int) -> Operand {
        var index = index
        while left > 0 {
            left -= 1
            switch nodes.span[index] {
            case .constant(let constant): return constants.span[constant]
            case .column(let column): return element.operand(column)
            case .count(let column): return .int(Int64(element.members(column).count))
            case .member: return member
            case .apply(let function, let node):
                let (value, more) = functions.span[function].value(of: operand(node, of: element, member, &left))
                left -= more
                return value
            case .compare(let comparison, let one, let other):
                let values = (operand(one, of: element, member, &left), operand(other, of: element, member, &left))
                left -= comparison.steps(values.0, values.1)
                return .bool(comparison.holds(values.0, values.1))
            case .compute(let arithmetic, let one, let other):
                return arithmetic.value(
                    operand(one, of: element, member, &left), operand(other, of: element, member, &left))
            case .both(let one, let other):
                if !operand(one, of: element, member, &left).isTrue { return .bool(false) }
                index = other
            case .either(let one, let other):
                if operand(one, of: element, member, &left).isTrue { return .bool(true) }
                index = other
            case .loop(let kind, let column, let body):
                return .bool(loop(kind, body, element.members(column), of: element, &left))
            }
        }
        return .null
    }

    private func loop(
        _ kind: LoopKind, _ body: Int, _ members: ColumnMembers, of element: some ColumnSource, _ left: inout Int
    ) -> Bool {
        switch members {
        case .none: break
        case .texts(let texts):
            for text in texts where left > 0 {
                let holds = operand(body, of: element, .text(text), &left).isTrue
                if holds != (kind == .all) { return holds }
            }
        case .values(let values):
            for value in values where left > 0 {
                let holds = operand(body, of: element, Operand(value), &left).isTrue
                if holds != (kind == .all) { return holds }
            }
        }
        return kind == .all
    }
}
