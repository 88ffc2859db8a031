import Reducing

extension Parser {
    static let words = ["and", "or", "not", "in", "true", "false", "null"]

    /// What a path that begins with a name reads, and its shape; the token is what follows the name.
    ///
    /// The name is the innermost loop's that has it, or else one of the root.
    mutating func place(
        _ name: String, at start: Int
    ) throws(ExpressionError) -> (source: Bytecode.Source, shape: Shape) {
        guard !Self.words.contains(name) else { throw error("\(name) is a word of the language, not a path") }
        guard let loop = loops.lastIndex(where: { $0.name == name }) else {
            guard subject == .change, name == "old" || name == "new" else {
                let (path, shape) = try path(name, at: start)
                return (.path(code.index(of: .init(path: path))), shape)
            }
            guard token == .sign(".") else { throw error("\(name) is followed by a path, like \(name).counter.count") }
            try advance()
            guard case .name(let first) = token else { throw self.error("a name is expected behind the dot") }
            let firstOffset = offset
            try advance()
            let (path, shape) = try path(first, at: firstOffset)
            return (.path(code.index(of: .init(path: path, isOld: name == "old"))), shape)
        }
        let (further, shape) = try steps(below: loops[loop].element)
        return (code.source(in: loop, further), shape)
    }

    /// The same of a list, and the shape of its elements.
    mutating func list(
        _ name: String, at start: Int
    ) throws(ExpressionError) -> (source: Bytecode.Source, element: Shape) {
        let (source, shape) = try place(name, at: start)
        guard let element = shape.element else { throw scanner.error("a list is expected, and this is \(shape.noun)", at: start) }
        return (source, element)
    }

    /// A path from the root; the token is what follows its first name.
    mutating func path(_ name: String, at start: Int) throws(ExpressionError) -> (path: Path, shape: Shape) {
        // What was written before a field got another name goes on to mean that field.
        let first = Path.Step.name(root.currentName(of: name))
        try checkSubject(name, at: start)
        let shape = try at(start) { () throws(Misfit) in try root.part(first, .field) }
        let (further, end) = try steps(below: shape)
        return (Path([first] + further), end)
    }

    /// The fact of the record that a name stands for; the token is what follows it.
    ///
    /// A loop or a field of what is judged that has the name hides it.
    mutating func fact(_ name: String, at start: Int) throws(ExpressionError) -> RecordFact? {
        guard !loops.contains(where: { $0.name == name }) else { return nil }
        switch (name, subject) {
        case ("now", .state), ("now", .change): return isField(name) ? nil : .time
        case ("record", .change):
            guard token == .sign(".") else { throw error("record is followed by a fact: \(Self.facts)") }
            try advance()
            guard case .name(let word) = token, let fact = RecordFact(rawValue: word) else {
                throw error("a fact of the record is expected: \(Self.facts)")
            }
            try advance()
            return fact
        default: return nil
        }
    }

    /// The place in another element of the list, `list[before].completed`, of the id that stands on top; the token is what follows `list`.
    ///
    /// A loop or a field of the element that has the name hides it.
    mutating func other(_ name: String, at start: Int) throws(ExpressionError) -> Shape? {
        guard name == "list", subject == .element, token == .sign("["), !loops.contains(where: { $0.name == name }) else {
            return nil
        }
        if case .record = root, root[name] != nil { return nil }
        _ = try at(start) { () throws(Misfit) in try Shape.list(root).part(.id(0), .selector) }
        try deeper { (parser) throws(ExpressionError) in
            try parser.advance()
            let start = parser.offset
            try parser.checkNumber(try parser.sum(), at: start)
            try parser.expect("]", "a closing bracket is expected")
        }
        let (further, shape) = try steps(below: root)
        code.emit(readingOther: further)
        return shape
    }

    private static let facts = RecordFact.allCases.map(\.rawValue).joined(separator: ", ")

    // Says what is wrong where a word is used of what has no such thing.
    private func checkSubject(_ name: String, at start: Int) throws(ExpressionError) {
        guard !isField(name) else { return }
        switch (name, subject) {
        case ("old", .value), ("old", .element), ("old", .state), ("new", .value), ("new", .element), ("new", .state):
            throw scanner.error("\(name) is a state beside a record, and no record is judged here", at: start)
        case ("record", .value), ("record", .element), ("record", .state):
            throw scanner.error("no record is judged here, so there are no facts of one", at: start)
        case ("now", .value), ("now", .element):
            throw scanner.error("now is the time of a record, and none is judged here", at: start)
        default: return
        }
    }

    // Whether what is judged may have a field of that name.
    private func isField(_ name: String) -> Bool {
        if case .any = root { return subject == .value || subject == .element }
        return root[root.currentName(of: name)] != nil
    }

    /// What a check of shapes finds, at an offset.
    func at<Result>(_ offset: Int, _ check: () throws(Misfit) -> Result) throws(ExpressionError) -> Result {
        do { return try check() } catch { throw scanner.error(error.message, at: offset) }
    }

    private mutating func steps(below first: Shape) throws(ExpressionError) -> (steps: [Path.Step], shape: Shape) {
        var steps: [Path.Step] = []
        var shape = first
        while token == .sign(".") || token == .sign("[") {
            let manner: Manner = token == .sign(".") ? .field : .selector
            try advance()
            let start = offset
            var step = manner == .field ? try field() : try selector()
            if case .name(let name) = step { step = .name(shape.currentName(of: name)) }
            shape = try at(start) { [shape] () throws(Misfit) in try shape.part(step, manner) }
            try advance()
            if manner == .selector { try expect("]", "a closing bracket is expected") }
            steps.append(step)
        }
        return (steps, shape)
    }

    private func field() throws(ExpressionError) -> Path.Step {
        guard case .name(let name) = token else { throw error("a name is expected behind the dot") }
        return .name(name)
    }

    private mutating func selector() throws(ExpressionError) -> Path.Step {
        switch token {
        case .int(let id): return .id(id)
        case .text(let name): return .name(name)
        case .sign("@"):
            try advance()
            guard case .int(let position) = token, let position = Int(exactly: position) else {
                throw error("a position is expected: [@0] is the first element, [@-1] the last")
            }
            return .position(position)
        default: throw error("an id like [12], a position like [@0] or a name like [\"apple/swift\"] is expected")
        }
    }
}
