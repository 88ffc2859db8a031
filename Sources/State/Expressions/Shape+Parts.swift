import Reducing

/// How a step down is written, which says what it means to select.
enum Manner {
    /// `.title`
    case field
    /// `[12]`, `["apple/swift"]`, `[@0]`
    case selector
}

extension Shape {
    /// What a person calls it.
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

    /// The shape of the elements that a loop goes over; `nil` if there are none.
    var element: Shape? {
        switch self {
        case .list(let element), .map(let element): element
        case .record, .any: .any
        case .bool, .int, .text: nil
        }
    }

    /// The shape one step further down.
    ///
    /// - Throws: a sentence that says what there is instead.
    func part(_ step: Path.Step, _ manner: Manner) throws(Misfit) -> Shape {
        switch (self, step) {
        case (.any, _): return .any
        case (.record, .name(let name)), (.map, .name(let name)):
            guard let part = self[name] else { throw unknown(name) }
            return part
        case (.record, _): throw Misfit("a record is read by field: \(names)")
        case (.map, _): throw Misfit("a name in quotes is expected, like [\"apple/swift\"]")
        case (.list, .name) where manner == .field:
            throw Misfit("a list has no fields; [12] selects by id, [@0] by position, and any(x in LIST: x.FIELD) reads all")
        case (.list(let element), .position): return element
        case (.list(let element), .id), (.list(let element), .name):
            try element.check(id: step)
            return element
        case (.bool, _), (.int, _), (.text, _): throw Misfit("\(noun) has no parts")
        }
    }

    private func check(id step: Path.Step) throws(Misfit) {
        switch (self["id"], step) {
        case (nil, _): throw Misfit("the elements of this list have no ids; [@0] is the first")
        case (.int, .name): throw Misfit("the ids of this list are numbers, like [12]")
        case (.text, .id): throw Misfit("the ids of this list are texts, like [\"apple/swift\"]")
        default: return
        }
    }

    /// Refuses a comparison that no state could ever decide in more than one way.
    func check(_ comparison: Comparison, with other: Shape) throws(Misfit) {
        switch (self, other) {
        case (.any, _), (_, .any), (.int, .int), (.text, .text): return
        case (.bool, .bool):
            guard comparison == .equal || comparison == .notEqual else { throw Misfit("truth values have no order") }
        case (.list, _), (_, .list): throw Misfit("a list is compared by element: any(x in LIST: x == ...)")
        case (.record, _), (_, .record), (.map, _), (_, .map): throw Misfit("a record is compared by field")
        default: throw Misfit("\(noun) and \(other.noun) have no order and are never equal")
        }
    }

    /// Refuses to look for a text in what is none.
    func checkText() throws(Misfit) {
        switch self {
        case .text, .any: return
        case .list:
            throw Misfit("a text is expected, and this is \(noun): any(x in LIST: contains(x, ...)) looks at each element")
        case .bool, .int, .map, .record: throw Misfit("a text is expected, and this is \(noun)")
        }
    }

    /// Refuses to compute with what is no number.
    func checkNumber() throws(Misfit) {
        switch self {
        case .int, .any: return
        case .list: throw Misfit("a number is expected, and this is a list: count(LIST) is how many elements it has")
        case .bool, .text, .map, .record: throw Misfit("a number is expected, and this is \(noun)")
        }
    }

    /// Refuses to ask for the day of what is neither a time nor a text.
    func checkDay() throws(Misfit) {
        switch self {
        case .int, .text, .any: return
        case .bool, .list, .map, .record: throw Misfit("a time or a date is expected, and this is \(noun)")
        }
    }

    // A misspelt field, with the one that was meant, or else all that there are.
    private func unknown(_ name: String) -> Misfit {
        let question = Spelling.question(about: name, among: fieldNames).map { "; \($0)" }
        return Misfit("there is no field \(name) here" + (question ?? ", only \(names)"))
    }

    private var fieldNames: [String] {
        guard case .record(let fields) = self else { return [] }
        return fields.map(\.name)
    }

    private var names: String {
        let names = fieldNames
        return names.count < 2 ? names.joined() : names.dropLast().joined(separator: ", ") + " and " + (names.last ?? "")
    }
}

/// What is said of a path or a comparison that no state fits; whoever reads the text knows the column.
struct Misfit: Error {
    var message: String
    init(_ message: String) { self.message = message }
}
