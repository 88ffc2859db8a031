import Reducing

/// Reads the grammar of EXPRESSIONS.md by recursive descent, and emits the bytecode as it goes.
struct Parser {
    var scanner: Scanner
    var token: Scanner.Token
    var offset: Int
    var code = Bytecode()
    let root: Shape
    var loops: [(name: String, element: Shape)] = []
    private var depth = 0

    init(_ text: String, of shape: Shape) throws(ExpressionError) {
        guard text.utf8.count <= ExpressionLimits.bytesMax else {
            throw ExpressionError(
                "the text has \(text.utf8.count) bytes, at most \(ExpressionLimits.bytesMax) are allowed", column: 1)
        }
        root = shape
        scanner = Scanner(text)
        (token, offset) = try scanner.next()
    }

    mutating func wholeExpression() throws(ExpressionError) -> Bytecode {
        _ = try disjunction()
        guard token == .end else { throw error("the expression should end here, or go on with and, or, or a comparison") }
        return code
    }

    mutating func wholePath() throws(ExpressionError) -> Path {
        guard case .name(let name) = token else { throw error("a path begins with a name") }
        let start = offset
        try advance()
        let path = try path(name, at: start).path
        guard token == .end else { throw error("the path should end here, or go on with . or [") }
        return path
    }

    func error(_ message: String) -> ExpressionError { scanner.error(message, at: offset) }

    mutating func advance() throws(ExpressionError) { (token, offset) = try scanner.next() }

    mutating func expect(_ sign: String, _ message: String) throws(ExpressionError) {
        guard token == .sign(sign) else { throw error(message) }
        try advance()
    }

    private mutating func deeper<Result>(
        _ body: (inout Parser) throws(ExpressionError) -> Result
    ) throws(ExpressionError) -> Result {
        guard depth < ExpressionLimits.depthMax else {
            throw error("nothing stands deeper than \(ExpressionLimits.depthMax) levels")
        }
        depth += 1
        defer { depth -= 1 }
        return try body(&self)
    }

    // Each part of the grammar tells the shape of what it gives.
    private mutating func disjunction() throws(ExpressionError) -> Shape {
        let first = try conjunction()
        var jumps: [Int] = []
        while token == .name("or") {
            jumps.append(code.instructions.count)
            code.emit(.orElse(0))
            try advance()
            _ = try conjunction()
        }
        return close(jumps) { .orElse($0) } ? .bool : first
    }

    private mutating func conjunction() throws(ExpressionError) -> Shape {
        let first = try negation()
        var jumps: [Int] = []
        while token == .name("and") {
            jumps.append(code.instructions.count)
            code.emit(.andThen(0))
            try advance()
            _ = try negation()
        }
        return close(jumps) { .andThen($0) } ? .bool : first
    }

    private mutating func close(_ jumps: [Int], _ jump: (Int) -> Bytecode.Instruction) -> Bool {
        guard !jumps.isEmpty else { return false }
        code.emit(.truth)
        for index in jumps { code.instructions[index] = jump(code.instructions.count) }
        return true
    }

    private mutating func negation() throws(ExpressionError) -> Shape {
        guard token == .name("not") else { return try comparison() }
        return try deeper { (parser) throws(ExpressionError) in
            try parser.advance()
            _ = try parser.negation()
            parser.code.emit(.not)
            return .bool
        }
    }

    private mutating func comparison() throws(ExpressionError) -> Shape {
        let left = try operand()
        guard let comparison = sign() else { return left }
        try advance()
        let start = offset
        let right = try operand()
        // Whoever has not said what a state looks like may compare anything.
        if case .any = root {} else { try at(start) { () throws(Misfit) in try left.check(comparison, with: right) } }
        code.emit(.compare(comparison))
        if sign() != nil { throw error("comparisons do not stand in a row; join two of them by and") }
        return .bool
    }

    private func sign() -> Comparison? {
        guard case .sign(let sign) = token else { return nil }
        return switch sign {
        case "==": .equal
        case "!=": .notEqual
        case "<": .less
        case "<=": .lessOrEqual
        case ">": .greater
        case ">=": .greaterOrEqual
        default: nil
        }
    }

    private mutating func operand() throws(ExpressionError) -> Shape {
        switch token {
        case .int(let number): return try literal(.int(number), .int)
        case .text(let text): return try literal(.text(text), .text)
        case .name("true"): return try literal(.bool(true), .bool)
        case .name("false"): return try literal(.bool(false), .bool)
        case .name("null"): return try literal(.null, .any)
        case .name("not"): throw error("not stands before a whole comparison; write it in parentheses")
        case .name(let name) where ["and", "or", "in"].contains(name):
            throw error("a value is expected before \(name)")
        case .name(let name): return try named(name)
        case .sign("("):
            return try deeper { (parser) throws(ExpressionError) in
                try parser.advance()
                let shape = try parser.disjunction()
                try parser.expect(")", "a closing parenthesis is expected")
                return shape
            }
        case .end: throw error("a value is expected: a path, a number, a text, true, false or null")
        case .sign(let sign): throw error("a value is expected, not \(sign)")
        }
    }

    private mutating func literal(_ operand: Operand, _ shape: Shape) throws(ExpressionError) -> Shape {
        code.emit(.push(operand))
        try advance()
        return shape
    }

    // A word before a parenthesis is a function; any other begins a path.
    private mutating func named(_ name: String) throws(ExpressionError) -> Shape {
        let start = offset
        try advance()
        guard token == .sign("(") else {
            let place = try place(name, at: start)
            code.emit(.read(place.source))
            return place.shape
        }
        let kind: Bytecode.LoopKind
        switch name {
        case "contains":
            try deeper { (parser) throws(ExpressionError) in try parser.contains() }
            return .bool
        case "any": kind = .any
        case "all": kind = .all
        case "count": kind = .count
        default: throw scanner.error("there is no such function; count, any, all and contains are known", at: start)
        }
        try deeper { (parser) throws(ExpressionError) in try parser.function(kind) }
        return kind == .count ? .int : .bool
    }

    // contains(TEXT, "WORDS"); the token is the opening parenthesis.
    private mutating func contains() throws(ExpressionError) {
        try advance()
        let start = offset
        let shape = try operand()
        if case .any = root {} else { try at(start) { () throws(Misfit) in try shape.checkText() } }
        try expect(",", "a comma is expected, and behind it the text that is looked for")
        guard case .text(let sought) = token else { throw error("the text that is looked for stands in quotes") }
        code.emit(.contains(SubstringSearch(anyCase: sought)))
        try advance()
        try expect(")", "a closing parenthesis is expected")
    }

    // count(LIST), or any, all and count with (NAME in LIST: CONDITION); the token is the opening parenthesis.
    private mutating func function(_ kind: Bytecode.LoopKind) throws(ExpressionError) {
        try advance()
        guard case .name(let name) = token else { throw error("the path of a list is expected") }
        let nameOffset = offset
        try advance()
        guard token == .name("in") else {
            guard kind == .count else {
                throw scanner.error("a name for the element and in are expected: todo in todos.items: CONDITION", at: nameOffset)
            }
            code.emit(.count(try list(name, at: nameOffset).source))
            return try expect(")", "a closing parenthesis is expected")
        }
        guard !Self.words.contains(name) else { throw scanner.error("\(name) is a word of the language", at: nameOffset) }
        guard loops.count < ExpressionLimits.loopsMax else {
            throw scanner.error("no more than \(ExpressionLimits.loopsMax) loops stand in one another", at: nameOffset)
        }
        try advance()
        guard case .name(let listName) = token else { throw error("the path of a list is expected") }
        let listOffset = offset
        try advance()
        let list = try list(listName, at: listOffset)
        try expect(":", "a colon and a condition are expected")
        let begin = code.instructions.count
        code.emit(.push(.null))
        loops.append((name, list.element))
        _ = try disjunction()
        loops.removeLast()
        code.emit(.again(begin + 1))
        code.instructions[begin] = .begin(kind, list.source, end: code.instructions.count)
        try expect(")", "a closing parenthesis is expected")
    }
}
