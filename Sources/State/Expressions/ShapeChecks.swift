import Chronicle

/// The expected shape of an operand; the raw value is its name in error messages.
enum ExpectedShape: String {
    case number = "a number"
    case text = "a text"
    case time = "a time or a date"
}

extension Shape {
    /// The name of the shape in error messages.
    var noun: String {
        switch self {
        case .bool: "a truth value"
        case .int: "a number"
        case .text: "a text"
        case .list: "a list"
        case .map, .record: "a record"
        case .any: "anything"
        }
    }

    /// The shape of the elements of a loop over this shape; `nil` if there can be no loop.
    var element: Shape? {
        switch self {
        case .list(let element), .map(let element): element
        case .record, .any: .any
        case .bool, .int, .text: nil
        }
    }

    /// The error for a comparison that has the same result in every state.
    func mismatch(_ comparison: Comparison, with other: Shape) -> String? {
        switch (self, other) {
        case (.any, _), (_, .any), (.int, .int), (.text, .text): nil
        case (.bool, .bool): comparison == .equal || comparison == .notEqual ? nil : "truth values have no order"
        case (.list, _), (_, .list): "a list is compared by element: any(x in LIST: x == ...)"
        case (.record, _), (_, .record), (.map, _), (_, .map): "a record is compared by field"
        default: "\(noun) and \(other.noun) have no order and are never equal"
        }
    }

    /// The error for an operation that has no result for this shape.
    func mismatch(_ expected: ExpectedShape) -> String? {
        let remedy: String
        switch (expected, self) {
        case (_, .any), (.number, .int), (.text, .text), (.time, .int), (.time, .text): return nil
        case (.number, .list): remedy = ": count(LIST) is how many elements it has"
        case (.text, .list): remedy = ": any(x in LIST: contains(x, ...)) looks at each element"
        default: remedy = ""
        }
        return "\(expected.rawValue) is expected, and this is \(noun)\(remedy)"
    }

    fileprivate var fieldNames: [String] { if case .record(let fields) = self { fields.map(\.name) } else { [] } }

    fileprivate var listedNames: String {
        let names = fieldNames
        return names.count < 2 ? names.joined() : names.dropLast().joined(separator: ", ") + " and " + (names.last ?? "")
    }
}

extension Parser {
    /// The shape of the part that a step selects.
    /// - Parameter isField: whether the step is written `.title` rather than `["title"]`.
    func part(_ step: Path.Step, of shape: Shape, isField: Bool = false, at start: Int) throws(ExpressionError) -> Shape {
        let mismatch: String
        switch (shape, step) {
        case (.any, _): return .any
        case (.record, .name(let name)), (.map, .name(let name)):
            if let part = shape[name] { return part }
            let question = Spelling.question(about: name, among: shape.fieldNames).map { "; \($0)" }
            mismatch = "there is no field \(name) here" + (question ?? ", only \(shape.listedNames)")
        case (.record, _): mismatch = "a record is read by field: \(shape.listedNames)"
        case (.map, _): mismatch = "a name in quotes is expected, like [\"apple/swift\"]"
        case (.list, .name) where isField:
            mismatch = "a list has no fields; [12] selects by id, [@0] by position, and any(x in LIST: x.FIELD) reads all"
        case (.list(let element), .position): return element
        case (.list(let element), .id), (.list(let element), .name):
            switch (element["id"], step) {
            case (nil, _): mismatch = "the elements of this list have no ids; [@0] is the first"
            case (.int, .name): mismatch = "the ids of this list are numbers, like [12]"
            case (.text, .id): mismatch = "the ids of this list are texts, like [\"apple/swift\"]"
            default: return element
            }
        case (.bool, _), (.int, _), (.text, _): mismatch = "\(shape.noun) has no parts"
        }
        throw scanner.error(mismatch, at: start)
    }
}
