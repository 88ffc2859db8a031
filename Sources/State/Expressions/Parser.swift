import Reducing

/// Reads the grammar of EXPRESSIONS.md by recursive descent, and emits the bytecode as it goes.
struct Parser {
    var scanner: Scanner
    var token: Scanner.Token
    var offset: Int
    var code = Bytecode()
    let root: Shape
    let subject: Subject
    var loops: [(name: String, element: Shape)] = []
    private var depth = 0
    // What stands between the outermost ands, each with its instructions.
    private var conjuncts: [Range<Int>] = []

    init(_ text: String, of shape: Shape, on subject: Subject = .value) throws(ExpressionError) {
        guard text.utf8.count <= ExpressionLimits.bytesMax else {
            throw ExpressionError(
                "the text has \(text.utf8.count) bytes, at most \(ExpressionLimits.bytesMax) are allowed", column: 1)
        }
        root = shape
        self.subject = subject
        scanner = Scanner(text)
        (token, offset) = try scanner.next()
    }

    /// A condition, and what stands between its outermost ands: all of it, where there are none.
    mutating func wholeCondition() throws(ExpressionError) -> (code: Bytecode, conjuncts: [Range<Int>]) {
        _ = try disjunction()
        guard token == .end else { throw error("the expression should end here, or go on with and, or, or a comparison") }
        return (code, conjuncts)
    }

    /// What gives a number.
    mutating func wholeNumber() throws(ExpressionError) -> Bytecode {
        let start = offset
        let shape = try disjunction()
        guard token == .end else { throw error("the expression should end here, or go on with + - * / or %") }
        try checkNumber(shape, at: start)
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

    mutating func deeper<Result>(
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
    mutating func disjunction() throws(ExpressionError) -> Shape {
        let start = code.instructions.count
        let first = try conjunction()
        var jumps: [Int] = []
        defer { if depth == 0, !jumps.isEmpty { conjuncts = [start..<code.instructions.count] } }
        while token == .name("or") {
            jumps.append(code.instructions.count)
            code.emit(.orElse(0))
            try advance()
            _ = try conjunction()
        }
        return close(jumps) { .orElse($0) } ? .bool : first
    }

    private mutating func conjunction() throws(ExpressionError) -> Shape {
        let first = try conjunct()
        var jumps: [Int] = []
        while token == .name("and") {
            jumps.append(code.instructions.count)
            code.emit(.andThen(0))
            try advance()
            _ = try conjunct()
        }
        return close(jumps) { .andThen($0) } ? .bool : first
    }

    private mutating func conjunct() throws(ExpressionError) -> Shape {
        let start = code.instructions.count
        let shape = try negation()
        if depth == 0 { conjuncts.append(start..<code.instructions.count) }
        return shape
    }

    private mutating func close(_ jumps: [Int], _ jump: (Int) -> Bytecode.Instruction) -> Bool {
        guard !jumps.isEmpty else { return false }
        code.emit(applying: .truth)
        for index in jumps { code.instructions[index] = jump(code.instructions.count) }
        return true
    }

    private mutating func negation() throws(ExpressionError) -> Shape {
        guard token == .name("not") else { return try comparison() }
        return try deeper { (parser) throws(ExpressionError) in
            try parser.advance()
            _ = try parser.negation()
            parser.code.emit(applying: .not)
            return .bool
        }
    }

    private mutating func comparison() throws(ExpressionError) -> Shape {
        let left = try sum()
        guard let comparison = sign() else { return left }
        try advance()
        let start = offset
        let right = try sum()
        // Whoever has not said what a state looks like may compare anything.
        if case .any = root {} else { try at(start) { () throws(Misfit) in try left.check(comparison, with: right) } }
        code.emit(.compare(comparison))
        if sign() != nil { throw error("comparisons do not stand in a row; join two of them by and") }
        return .bool
    }

    mutating func sum() throws(ExpressionError) -> Shape {
        try computed(["+": .add, "-": .subtract]) { (parser) throws(ExpressionError) in try parser.product() }
    }

    private mutating func product() throws(ExpressionError) -> Shape {
        try computed(["*": .multiply, "/": .divide, "%": .remainder]) { (parser) throws(ExpressionError) in try parser.negative()
        }
    }

    // Parts in a row with signs between them, from the left to the right.
    private mutating func computed(
        _ signs: [String: Arithmetic], _ part: (inout Parser) throws(ExpressionError) -> Shape
    ) throws(ExpressionError) -> Shape {
        var start = offset
        var shape = try part(&self)
        while case .sign(let sign) = token, let arithmetic = signs[sign] {
            try checkNumber(shape, at: start)
            try advance()
            start = offset
            shape = try part(&self)
            try checkNumber(shape, at: start)
            code.emit(.compute(arithmetic))
            shape = .int
        }
        return shape
    }

    private mutating func negative() throws(ExpressionError) -> Shape {
        guard token == .sign("-") else { return try operand() }
        return try deeper { (parser) throws(ExpressionError) in
            try parser.advance()
            let start = parser.offset
            try parser.checkNumber(try parser.negative(), at: start)
            parser.code.emit(applying: .negate)
            return .int
        }
    }

    func checkNumber(_ shape: Shape, at start: Int) throws(ExpressionError) {
        if case .any = root { return }
        try at(start) { () throws(Misfit) in try shape.checkNumber() }
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

    mutating func operand() throws(ExpressionError) -> Shape {
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
        code.emit(pushing: operand)
        try advance()
        return shape
    }

    // A word before a parenthesis is a function; any other begins a path.
    private mutating func named(_ name: String) throws(ExpressionError) -> Shape {
        let start = offset
        try advance()
        if token == .sign("(") { return try function(name, at: start) }
        if let shape = try other(name, at: start) { return shape }
        if let fact = try fact(name, at: start) {
            code.emit(.fact(fact))
            return fact.shape
        }
        let place = try place(name, at: start)
        code.emit(.read(place.source))
        return place.shape
    }
}
