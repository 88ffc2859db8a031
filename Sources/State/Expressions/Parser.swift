import Chronicle

/// A recursive-descent parser for the grammar in EXPRESSIONS.md.
struct Parser {
    /// A node and the shape of its value.
    typealias Part = (node: Int, shape: Shape)
    typealias Name = (text: String, start: Int)

    var scanner: Scanner
    var token: Scanner.Token
    private var offset: Int
    private(set) var tree = SyntaxTree()
    private let root: Shape
    private let subject: Subject
    // The enclosing loops, the outermost first.
    private var loops: [(name: String, element: Shape)] = []
    private var depth = 0
    private static let words = ["and", "or", "not", "in", "true", "false", "null"]
    private static let facts = RecordFact.allCases.map(\.rawValue).joined(separator: ", ")

    init(_ text: String, of shape: Shape, on subject: Subject = .value) throws(ExpressionError) {
        guard text.utf8.count <= ExpressionLimits.bytesMax else {
            throw ExpressionError(
                "the text has \(text.utf8.count) bytes, at most \(ExpressionLimits.bytesMax) are allowed", column: 1)
        }
        (root, self.subject) = (shape, subject)
        scanner = Scanner(text)
        (token, offset) = try scanner.next()
    }

    /// Parses the text as a condition; returns the root node.
    mutating func wholeCondition() throws(ExpressionError) -> Int {
        let node = try disjunction().node
        guard token == .end else { throw error("the expression should end here, or go on with and, or, or a comparison") }
        return node
    }

    mutating func wholeNumber() throws(ExpressionError) -> Int {
        let start = offset
        let part = try disjunction()
        guard token == .end else { throw error("the expression should end here, or go on with + - * / or %") }
        try check(part.shape.mismatch(.number), at: start)
        return part.node
    }

    mutating func wholePath() throws(ExpressionError) -> Path {
        let path = try path(name("a path begins with a name")).path
        guard token == .end else { throw error("the path should end here, or go on with . or [") }
        return path
    }

    private func error(_ message: String) -> ExpressionError { scanner.error(message, at: offset) }
    private mutating func advance() throws(ExpressionError) { (token, offset) = try scanner.next() }

    private mutating func expect(_ sign: String, _ message: String) throws(ExpressionError) {
        guard token == .sign(sign) else { throw error(message) }
        try advance()
    }

    private mutating func close() throws(ExpressionError) { try expect(")", "a closing parenthesis is expected") }

    private mutating func name(_ message: String) throws(ExpressionError) -> Name {
        guard case .name(let text) = token else { throw error(message) }
        let start = offset
        try advance()
        return (text, start)
    }

    /// Advances one level deeper; the caller decrements the depth.
    private mutating func descend() throws(ExpressionError) {
        guard depth < ExpressionLimits.depthMax else {
            throw error("nothing stands deeper than \(ExpressionLimits.depthMax) levels")
        }
        depth += 1
        try advance()
    }

    /// Throws a mismatch, unless the shape of the state is unknown.
    private func check(_ mismatch: String?, at start: Int) throws(ExpressionError) {
        if case .any = root { return }
        if let mismatch { throw scanner.error(mismatch, at: start) }
    }

    private mutating func disjunction() throws(ExpressionError) -> Part { try row("or") }

    private mutating func row(_ word: String) throws(ExpressionError) -> Part {
        let isOr = word == "or"
        let first = isOr ? try row("and") : try negation()
        guard token == .name(word) else { return first }
        var terms = [SyntaxTree.Term(node: first.node)]
        while token == .name(word) {
            try advance()
            terms.append(.init(node: isOr ? try row("and").node : try negation().node))
        }
        return (tree.add(terms, isOr ? SyntaxTree.Node.or : SyntaxTree.Node.and), .bool)
    }

    private mutating func negation() throws(ExpressionError) -> Part {
        guard token == .name("not") else { return try comparison() }
        try descend()
        defer { depth -= 1 }
        return (tree.add(.not, of: try negation().node), .bool)
    }

    private mutating func comparison() throws(ExpressionError) -> Part {
        let left = try sum()
        guard let comparison = comparisonSign else { return left }
        try advance()
        let start = offset
        let right = try sum()
        try check(left.shape.mismatch(comparison, with: right.shape), at: start)
        if comparisonSign != nil { throw error("comparisons do not stand in a row; join two of them by and") }
        return (tree.add(.compare(comparison, left.node, right.node)), .bool)
    }

    private var comparisonSign: Comparison? { if case .sign(let sign) = token { Comparison(rawValue: sign) } else { nil } }
    private mutating func sum() throws(ExpressionError) -> Part { try computed(["+", "-"]) }

    private mutating func sum(_ expected: ExpectedShape) throws(ExpressionError) -> Part {
        let start = offset
        let part = try sum()
        try check(part.shape.mismatch(expected), at: start)
        return part
    }

    private mutating func computed(_ signs: [String]) throws(ExpressionError) -> Part {
        let isSum = signs.contains("+")
        var start = offset
        var part = isSum ? try computed(["*", "/", "%"]) : try negative()
        var terms = [SyntaxTree.Term(node: part.node)]
        while case .sign(let sign) = token, signs.contains(sign), let arithmetic = Arithmetic(rawValue: sign) {
            if terms.count == 1 { try check(part.shape.mismatch(.number), at: start) }
            try advance()
            start = offset
            part = isSum ? try computed(["*", "/", "%"]) : try negative()
            try check(part.shape.mismatch(.number), at: start)
            terms.append(.init(node: part.node, arithmetic: arithmetic))
        }
        return terms.count == 1 ? part : (tree.add(terms, SyntaxTree.Node.compute), .int)
    }

    private mutating func negative() throws(ExpressionError) -> Part {
        guard token == .sign("-") else { return try operand() }
        try descend()
        defer { depth -= 1 }
        let start = offset
        let operand = try negative()
        try check(operand.shape.mismatch(.number), at: start)
        return (tree.add(.negate, of: operand.node), .int)
    }

    private mutating func operand() throws(ExpressionError) -> Part {
        switch token {
        case .int(let number): return try literal(.int(number), .int)
        case .text(let text): return try literal(.text(text), .text)
        case .name("true"): return try literal(.bool(true), .bool)
        case .name("false"): return try literal(.bool(false), .bool)
        case .name("null"): return try literal(.null, .any)
        case .name("not"): throw error("not stands before a whole comparison; write it in parentheses")
        case .name(let name) where ["and", "or", "in"].contains(name): throw error("a value is expected before \(name)")
        case .name(let name): return try named(name)
        case .sign("("):
            try descend()
            defer { depth -= 1 }
            let part = try disjunction()
            try close()
            return part
        case .end: throw error("a value is expected: a path, a number, a text, true, false or null")
        case .sign(let sign): throw error("a value is expected, not \(sign)")
        }
    }

    private mutating func literal(_ operand: Operand, _ shape: Shape) throws(ExpressionError) -> Part {
        try advance()
        return (tree.add(constant: operand), shape)
    }

    // A word is a function if a parenthesis follows, and otherwise begins a path.
    private mutating func named(_ text: String) throws(ExpressionError) -> Part {
        let name = (text, start: offset)
        try advance()
        if token == .sign("(") { return try function(name) }
        if !loops.contains(where: { $0.name == text }) {
            if let part = try other(name) { return part }
            if let fact = try fact(text) { return (tree.add(.fact(fact)), fact.shape) }
        }
        let (source, shape) = try place(name)
        return (tree.add(.read(source)), shape)
    }

    private static let functions: [String: (function: Function, operand: ExpectedShape, result: Shape)] = [
        "length": (.length, .text, .int), "lower": (.lower, .text, .text), "day": (.day, .time, .int),
        "days": (.days, .number, .int),
    ]

    private mutating func function(_ name: Name) throws(ExpressionError) -> Part {
        if let kind = LoopKind(rawValue: name.text) { return try loop(kind) }
        if let place = SearchedPlace(rawValue: name.text) { return try search(place) }
        guard let (function, operand, result) = Self.functions[name.text] else {
            let known = "count, any, all, sum, min, max, contains, startsWith, endsWith, length, lower, day and days"
            throw scanner.error("there is no such function; \(known) are known", at: name.start)
        }
        try descend()
        defer { depth -= 1 }
        let node = try sum(operand).node
        try close()
        return (tree.add(function, of: node), result)
    }

    // contains(TEXT, "WORDS")
    private mutating func search(_ place: SearchedPlace) throws(ExpressionError) -> Part {
        try descend()
        defer { depth -= 1 }
        let start = offset
        let text = try operand()
        try check(text.shape.mismatch(.text), at: start)
        try expect(",", "expected a comma and the text to search for")
        guard case .text(let sought) = token else { throw error("the text that is looked for stands in quotes") }
        try advance()
        try close()
        return (tree.add(.test(place, SubstringSearch(anyCase: sought)), of: text.node), .bool)
    }

    // count(LIST), or KIND(NAME in LIST: CONDITION or NUMBER)
    private mutating func loop(_ kind: LoopKind) throws(ExpressionError) -> Part {
        try descend()
        defer { depth -= 1 }
        let name = try name("the path of a list is expected")
        guard token == .name("in") else {
            guard kind == .count else {
                let body = kind.isOfNumbers ? "NUMBER" : "CONDITION"
                throw scanner.error("a name for the element and in are expected: todo in todos.items: \(body)", at: name.start)
            }
            let source = try list(name).source
            try close()
            return (tree.add(.count(source)), .int)
        }
        guard !Self.words.contains(name.text) else {
            throw scanner.error("\(name.text) is a word of the language", at: name.start)
        }
        guard loops.count < ExpressionLimits.loopsMax else {
            throw scanner.error("no more than \(ExpressionLimits.loopsMax) loops stand in one another", at: name.start)
        }
        try advance()
        let list = try list(self.name("the path of a list is expected"))
        try expect(":", "a colon and a \(kind.isOfNumbers ? "number" : "condition") are expected")
        loops.append((name.text, list.element))
        let body = kind.isOfNumbers ? try sum(.number) : try disjunction()
        loops.removeLast()
        try close()
        return (tree.add(.loop(kind, list.source, body: body.node)), kind == .any || kind == .all ? .bool : .int)
    }

    /// Parses a path after its first name, which is the variable of the innermost loop of that name or a field of the root.
    private mutating func place(_ name: Name) throws(ExpressionError) -> (source: SyntaxTree.Source, shape: Shape) {
        guard !Self.words.contains(name.text) else { throw error("\(name.text) is a word of the language, not a path") }
        if let loop = loops.lastIndex(where: { $0.name == name.text }) {
            let (further, shape) = try steps(below: loops[loop].element)
            return (.element(loop: loop, part: tree.index(ofPart: further)), shape)
        }
        guard subject == .change, name.text == "old" || name.text == "new" else {
            let (path, shape) = try path(name)
            return (.place(tree.index(of: .init(path: path))), shape)
        }
        try expect(".", "\(name.text) is followed by a path, like \(name.text).counter.count")
        let (path, shape) = try path(self.name("expected a name after the dot"))
        return (.place(tree.index(of: .init(path: path, isOld: name.text == "old"))), shape)
    }

    /// Parses the path of a list after its first name.
    private mutating func list(_ name: Name) throws(ExpressionError) -> (source: SyntaxTree.Source, element: Shape) {
        let (source, shape) = try place(name)
        guard let element = shape.element else {
            throw scanner.error("a list is expected, and this is \(shape.noun)", at: name.start)
        }
        return (source, element)
    }

    /// Parses a path from the root after its first name.
    private mutating func path(_ name: Name) throws(ExpressionError) -> (path: Path, shape: Shape) {
        let first = Path.Step.name(root.currentName(of: name.text))
        if !isField(name.text) {
            // Names that other subjects have.
            switch (name.text, subject) {
            case (_, .change): break
            case ("old", _), ("new", _):
                throw scanner.error("\(name.text) is a state beside a record, and no record is judged here", at: name.start)
            case ("record", _): throw scanner.error("no record is judged here, so there are no facts of one", at: name.start)
            case ("now", .value), ("now", .element):
                throw scanner.error("now is the time of a record, and none is judged here", at: name.start)
            default: break
            }
        }
        let (further, end) = try steps(below: part(first, of: root, isField: true, at: name.start))
        return (Path([first] + further), end)
    }

    private func isField(_ name: String) -> Bool {
        if case .any = root { return subject == .value || subject == .element }
        return root[root.currentName(of: name)] != nil
    }

    /// Parses a fact after its first name; `nil` for another name.
    private mutating func fact(_ name: String) throws(ExpressionError) -> RecordFact? {
        switch (name, subject) {
        case ("now", .state), ("now", .change): return isField(name) ? nil : .time
        case ("record", .change):
            try expect(".", "record is followed by a fact: \(Self.facts)")
            guard case .name(let word) = token, let fact = RecordFact(rawValue: word) else {
                throw error("a fact of the record is expected: \(Self.facts)")
            }
            try advance()
            return fact
        default: return nil
        }
    }

    /// Parses a place in another element, `list[before].completed`, after `list`; `nil` for another name.
    private mutating func other(_ name: Name) throws(ExpressionError) -> Part? {
        guard name.text == "list", subject == .element, token == .sign("[") else { return nil }
        if case .record = root, root[name.text] != nil { return nil }
        _ = try part(.id(0), of: .list(root), at: name.start)
        let id = try otherID()
        let (further, shape) = try steps(below: root)
        return (tree.add(.other(id: id, part: tree.index(ofPart: further))), shape)
    }

    private mutating func otherID() throws(ExpressionError) -> Int {
        try descend()
        defer { depth -= 1 }
        let id = try sum(.number)
        try expect("]", "a closing bracket is expected")
        return id.node
    }

    private mutating func steps(below first: Shape) throws(ExpressionError) -> (steps: [Path.Step], shape: Shape) {
        var (steps, shape): ([Path.Step], Shape) = ([], first)
        while token == .sign(".") || token == .sign("[") {
            let isField = token == .sign(".")
            try advance()
            let start = offset
            let step: Path.Step
            switch token {
            case .name(let name) where isField: step = .name(shape.currentName(of: name))
            case _ where isField: throw error("expected a name after the dot")
            case .int(let id): step = .id(id)
            case .text(let name): step = .name(shape.currentName(of: name))
            case .sign("@"):
                try advance()
                guard case .int(let position) = token else {
                    throw error("a position is expected: [@0] is the first element, [@-1] the last")
                }
                step = .position(Int(position))
            default: throw error("an id like [12], a position like [@0] or a name like [\"apple/swift\"] is expected")
            }
            shape = try part(step, of: shape, isField: isField, at: start)
            try advance()
            if !isField { try expect("]", "a closing bracket is expected") }
            steps.append(step)
        }
        return (steps, shape)
    }
}
