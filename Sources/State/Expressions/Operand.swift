import Reducing

/// What expressions compute with.
enum Operand: Sendable {
    case null
    case bool(Bool)
    case int(Int64)
    case text(String)
    /// A list or a record (or a number that no state holds): it is there, and compares with nothing.
    case whole

    init(_ value: Value) {
        switch value {
        case .null: self = .null
        case .bool(let bool): self = .bool(bool)
        case .int(let number): self = .int(number)
        case .text(let text): self = .text(text)
        case .double, .list, .record: self = .whole
        }
    }

    /// Everything that is there counts as true, but for `false` itself.
    var isTrue: Bool {
        switch self {
        case .null, .bool(false): false
        default: true
        }
    }
}

/// The six ways to compare.
enum Comparison: Sendable {
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual

    /// Total: what is of different sorts is not equal and in no order.
    func holds(_ left: Operand, _ right: Operand) -> Bool {
        switch self {
        case .equal: Self.areEqual(left, right)
        case .notEqual: !Self.areEqual(left, right)
        case .less: Self.isLess(left, right)
        case .greater: Self.isLess(right, left)
        case .lessOrEqual: Self.areOrdered(left, right) && !Self.isLess(right, left)
        case .greaterOrEqual: Self.areOrdered(left, right) && !Self.isLess(left, right)
        }
    }

    /// How many steps it takes besides its own.
    func steps(_ left: Operand, _ right: Operand) -> Int {
        guard case (.text(let left), .text(let right)) = (left, right) else { return 0 }
        return Self.steps(left, right)
    }

    /// How many steps it takes to compare two texts.
    static func steps(_ left: String, _ right: String) -> Int {
        min(left.utf8.count, right.utf8.count) / ExpressionLimits.comparedBytesPerStep
    }

    private static func areEqual(_ left: Operand, _ right: Operand) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.int(let left), .int(let right)): left == right
        case (.text(let left), .text(let right)): left.hasSameBytes(as: right)
        default: false
        }
    }

    private static func areOrdered(_ left: Operand, _ right: Operand) -> Bool {
        switch (left, right) {
        case (.int, .int), (.text, .text): true
        default: false
        }
    }

    private static func isLess(_ left: Operand, _ right: Operand) -> Bool {
        switch (left, right) {
        case (.int(let left), .int(let right)): left < right
        case (.text(let left), .text(let right)): left.utf8.lexicographicallyPrecedes(right.utf8)
        default: false
        }
    }
}
