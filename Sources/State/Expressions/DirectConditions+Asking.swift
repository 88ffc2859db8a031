import Reducing

extension DirectConditions {
    /// What a node gives for a field, where a loop is at a member.
    ///
    /// - Parameter members: what can be gone over in the field.
    func operand(
        _ index: Int, of field: Operand, _ members: Members, _ member: Operand, _ steps: inout Int
    ) -> Operand {
        var index = index
        while true {
            steps += 1
            switch nodes[index] {
            case .constant(let constant): return constants[constant]
            case .column: return field
            case .member: return member
            case .apply(let function, let node):
                let (value, more) = functions[function].value(of: operand(node, of: field, members, member, &steps))
                steps += more
                return value
            case .compare(let comparison, let left, let right):
                let (left, right) = (
                    operand(left, of: field, members, member, &steps), operand(right, of: field, members, member, &steps)
                )
                steps += comparison.steps(left, right)
                return .bool(comparison.holds(left, right))
            case .compute(let arithmetic, let left, let right):
                return arithmetic.value(
                    operand(left, of: field, members, member, &steps), operand(right, of: field, members, member, &steps))
            case .both(let left, let right):
                if !operand(left, of: field, members, member, &steps).isTrue { return .bool(false) }
                index = right
            case .either(let left, let right):
                if operand(left, of: field, members, member, &steps).isTrue { return .bool(true) }
                index = right
            case .loop(let kind, _, let body): return .bool(loop(kind, body, field, members, &steps))
            }
        }
    }

    private func loop(_ kind: LoopKind, _ body: Int, _ field: Operand, _ members: Members, _ steps: inout Int) -> Bool {
        switch members {
        case .none: break
        case .texts(let texts):
            for text in texts {
                let holds = operand(body, of: field, members, .text(text), &steps).isTrue
                if holds != (kind == .all) { return holds }
            }
        case .values(let values):
            for value in values {
                let holds = operand(body, of: field, members, Operand(value), &steps).isTrue
                if holds != (kind == .all) { return holds }
            }
        }
        return kind == .all
    }
}
