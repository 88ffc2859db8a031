import Chronicle
import Expressions
import TestSupport
import Testing

/// A reference implementation of expressions.
indirect enum Tree {
    case path([Path.Step])
    case literal(Value)
    case not(Tree)
    case and(Tree, Tree)
    case or(Tree, Tree)
    case compare(String, Tree, Tree)
    case count([Path.Step])
    case contains(Tree, String)
    case negate(Tree)
    case compute(String, Tree, Tree)
    case loop(String, String, [Path.Step], Tree)

    var text: String {
        switch self {
        case .path(let steps): Path(steps).description
        case .literal(.text(let text)): "'\(text)'"
        case .literal(.int(let number)): "\(number)"
        case .literal(.bool(let bool)): "\(bool)"
        case .literal: "null"
        case .not(let tree): "(not \(tree.text))"
        case .and(let left, let right): "(\(left.text) and \(right.text))"
        case .or(let left, let right): "(\(left.text) or \(right.text))"
        case .compare(let sign, let left, let right): "(\(left.text)) \(sign) (\(right.text))"
        case .count(let steps): "count(\(Path(steps).description))"
        case .contains(let tree, let sought): "contains((\(tree.text)), '\(sought)')"
        case .negate(let tree): "-(\(tree.text))"
        case .compute(let sign, let left, let right): "((\(left.text)) \(sign) (\(right.text)))"
        case .loop(let kind, let name, let steps, let body): "\(kind)(\(name) in \(Path(steps).description): \(body.text))"
        }
    }

    func value(_ root: Value, _ names: [(String, Value)]) -> Value {
        switch self {
        case .path(let steps): return Self.read(steps, root, names)
        case .literal(let value): return value
        case .not(let tree): return .bool(!tree.isTrue(root, names))
        case .and(let left, let right): return .bool(left.isTrue(root, names) && right.isTrue(root, names))
        case .or(let left, let right): return .bool(left.isTrue(root, names) || right.isTrue(root, names))
        case .compare(let sign, let left, let right):
            return .bool(Self.compare(sign, left.value(root, names), right.value(root, names)))
        case .count(let steps): return .int(Int64(Self.elements(steps, root, names).count))
        case .contains(let tree, let sought): return .bool(Self.contains(tree.value(root, names), sought))
        case .negate(let tree): return Self.compute("-", 0, tree.value(root, names))
        case .compute(let sign, let left, let right):
            return Self.compute(sign, left.value(root, names), right.value(root, names))
        case .loop(let kind, let name, let steps, let body) where ["sum", "min", "max"].contains(kind):
            let numbers = Self.elements(steps, root, names).compactMap { body.value(root, names + [(name, $0)]).int }
            switch kind {
            case "sum": return numbers.reduce(.int(0)) { Self.compute("+", $0, .int($1)) }
            case "min": return numbers.min().map { .int($0) } ?? .null
            default: return numbers.max().map { .int($0) } ?? .null
            }
        case .loop(let kind, let name, let steps, let body):
            let truths = Self.elements(steps, root, names).map { body.isTrue(root, names + [(name, $0)]) }
            return switch kind {
            case "any": .bool(truths.contains(true))
            case "all": .bool(!truths.contains(false))
            default: .int(Int64(truths.count { $0 }))
            }
        }
    }

    func isTrue(_ root: Value, _ names: [(String, Value)]) -> Bool {
        let value = value(root, names)
        return value != .null && value != false
    }

    private static func read(_ steps: [Path.Step], _ root: Value, _ names: [(String, Value)]) -> Value {
        var rest = steps[...]
        var value: Value? = root
        if case .name(let name)? = rest.first, let element = names.last(where: { $0.0 == name }) {
            value = element.1
            rest = rest.dropFirst()
        }
        for step in rest { value = value?.part(step) }
        return value ?? .null
    }

    private static func elements(_ steps: [Path.Step], _ root: Value, _ names: [(String, Value)]) -> [Value] {
        switch read(steps, root, names) {
        case .list(let elements): elements
        case .record(let fields): fields.map(\.value)
        default: []
        }
    }

    private static func contains(_ value: Value, _ sought: String) -> Bool {
        guard case .text(let text) = value else { return false }
        let (bytes, wanted) = (Array(text.lowercased().utf8), Array(sought.lowercased().utf8))
        return bytes.count >= wanted.count
            && (0...bytes.count - wanted.count).contains { bytes[$0..<$0 + wanted.count].elementsEqual(wanted) }
    }

    private static func compute(_ sign: String, _ left: Value, _ right: Value) -> Value {
        guard let left = left.int, let right = right.int else { return .null }
        // 128 bits hold every sum and product, so overflow shows only in the final conversion.
        let (wideLeft, wideRight) = (Int128(left), Int128(right))
        let exact: Int128
        switch sign {
        case "+": exact = wideLeft + wideRight
        case "-": exact = wideLeft - wideRight
        case "*": exact = wideLeft * wideRight
        case "/" where right != 0: exact = wideLeft / wideRight
        case "%" where right != 0: exact = wideLeft % wideRight
        default: return .null
        }
        return Int64(exactly: exact).map { .int($0) } ?? .null
    }

    private static func compare(_ sign: String, _ left: Value, _ right: Value) -> Bool {
        var order: Int?
        switch (left, right) {
        case (.int(let left), .int(let right)): order = left < right ? -1 : left == right ? 0 : 1
        case (.text(let left), .text(let right)):
            let (left, right) = (Array(left.utf8), Array(right.utf8))
            order = left == right ? 0 : left.lexicographicallyPrecedes(right) ? -1 : 1
        case (.bool, .bool), (.null, .null): return sign == "==" ? left == right : sign == "!=" ? left != right : false
        default: return sign == "!="
        }
        guard let order else { return false }
        return switch sign {
        case "==": order == 0
        case "!=": order != 0
        case "<": order < 0
        case "<=": order <= 0
        case ">": order > 0
        default: order >= 0
        }
    }
}

@Suite struct PropertyTests {
    private static let signs = ["==", "!=", "<", "<=", ">", ">="]
    private static let words = [
        "todos", "items", "id", "title", "tags", "counter", "count", "stars", "any", "all", "contains", "not", "and", "or", "in",
        "null", "sum", "min", "day", "length", "startsWith", "old", "new", "record", "uid", "now", "+", "-", "*", "/", "%",
        "(", ",",
        ")", "[", "]", ".", ":", "@", "==", "<", ">=", "!=", "1", "12", "-3", "'x'", "\"", "'", "\\", "é", "$", " ",
    ]

    private static func steps(_ dice: inout SeededGenerator, _ names: [String]) -> [Path.Step] {
        let roots = ["counter", "todos", "stars", "empty", "nothing"] + names + names
        var steps = [Path.Step.name(roots.randomElement(using: &dice) ?? "")]
        for _ in 0..<Int.random(in: 0...3, using: &dice) {
            switch Int.random(in: 0...5, using: &dice) {
            case 0: steps.append(.position(Int.random(in: -2...2, using: &dice)))
            case 1: steps.append(.id(Int64.random(in: 7...12, using: &dice)))
            default:
                steps.append(.name(["count", "items", "title", "tags", "id", "apple/swift"].randomElement(using: &dice) ?? ""))
            }
        }
        return steps
    }

    private static func tree(_ dice: inout SeededGenerator, depth: Int, _ names: [String] = []) -> Tree {
        switch Int.random(in: 0...(depth > 0 ? 13 : 2), using: &dice) {
        case 0, 1: return .path(steps(&dice, names))
        case 2:
            return .literal(
                [.null, true, false, 3, 12, -1, .int(.max), .int(.min), "Milk", ""].randomElement(using: &dice) ?? .null)
        case 3: return .not(tree(&dice, depth: depth - 1, names))
        case 4: return .and(tree(&dice, depth: depth - 1, names), tree(&dice, depth: depth - 1, names))
        case 5: return .or(tree(&dice, depth: depth - 1, names), tree(&dice, depth: depth - 1, names))
        case 6: return .count(steps(&dice, names))
        case 7:
            let sought = ["mi", "É", "t", "", "ilk"].randomElement(using: &dice) ?? ""
            return .contains(tree(&dice, depth: depth - 1, names), sought)
        case 11:
            let sign = ["+", "-", "*", "/", "%"].randomElement(using: &dice) ?? ""
            return .compute(sign, tree(&dice, depth: depth - 1, names), tree(&dice, depth: depth - 1, names))
        case 12: return .negate(tree(&dice, depth: depth - 1, names))
        case 13 where names.count < 3:
            let name = ["x", "y"].randomElement(using: &dice) ?? ""
            let kind = ["sum", "min", "max"].randomElement(using: &dice) ?? ""
            // A comparison after the colon must be in parentheses.
            let body = Tree.compute("+", tree(&dice, depth: depth - 1, names + [name]), .literal(0))
            return .loop(kind, name, steps(&dice, names), body)
        case 8 where names.count < 3:
            let name = ["x", "y", "todos"].randomElement(using: &dice) ?? ""
            let kind = ["any", "all", "count"].randomElement(using: &dice) ?? ""
            return .loop(kind, name, steps(&dice, names), tree(&dice, depth: depth - 1, names + [name]))
        default:
            let sign = signs.randomElement(using: &dice) ?? ""
            return .compare(sign, tree(&dice, depth: depth - 1, names), tree(&dice, depth: depth - 1, names))
        }
    }

    @Test func `random expressions agree with the reference implementation`() throws {
        var dice = SeededGenerator(1)
        var truths = 0
        for _ in 0..<10_000 {
            let tree = Self.tree(&dice, depth: 4)
            let expression = try Expression(tree.text)
            let holds = expression.holds(in: ValueReader(Sample.state))
            #expect(holds == tree.isTrue(Sample.state, []), "\(tree.text)")
            if holds { truths += 1 }
        }
        #expect((1_000...9_000).contains(truths))
    }

    @Test func `no sequence of tokens traps`() {
        var dice = SeededGenerator(2)
        var read = 0
        for _ in 0..<10_000 {
            let words = (0..<Int.random(in: 0...14, using: &dice)).map { _ in Self.words.randomElement(using: &dice) ?? "" }
            let text = words.joined(separator: Bool.random(using: &dice) ? " " : "")
            if let change = try? Expression(text, on: .change) {
                _ = change.holds(in: ValueReader(Sample.state), after: ValueReader(Sample.state))
            }
            if let expression = try? Expression(text) {
                _ = expression.holds(in: ValueReader(Sample.state))
                read += 1
            } else if let error = Sample.error(text) {
                #expect((1...text.count + 1).contains(error.column), "\(text)")
            }
            _ = try? Path(text)
        }
        #expect(read > 40)
    }

    @Test func `no bytes trap`() {
        var dice = SeededGenerator(3)
        let good = Array(
            "any(t in todos.items: t.title == 'Mi\\u{6C}k' and contains(t.note, 'x') and t.id >= 12) or not count(stars[\"a\"]) < -3"
                .utf8)
        for _ in 0..<10_000 {
            var bytes = good
            for _ in 0..<Int.random(in: 1...4, using: &dice) {
                let index = Int.random(in: bytes.indices, using: &dice)
                switch Int.random(in: 0...2, using: &dice) {
                case 0: bytes[index] = UInt8.random(in: 0...255, using: &dice)
                case 1: bytes.remove(at: index)
                default: bytes.insert(bytes.randomElement(using: &dice) ?? 0, at: index)
                }
            }
            let text = String(decoding: bytes, as: UTF8.self)
            if let expression = try? Expression(text) { _ = expression.holds(in: ValueReader(Sample.state)) }
        }
    }
}
