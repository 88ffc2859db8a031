import Reducing

/// Reads the grammar of EXPRESSIONS.md by recursive descent, and emits the program as it goes.
struct Parser {
    private var scanner: Scanner
    private var token: Scanner.Token
    private var offset: Int
    private var program = Program()
    private var loops: [String] = []
    private var depth = 0

    init(_ text: String) throws(ExpressionError) {
        guard text.utf8.count <= ExpressionLimits.bytesMax else {
            throw ExpressionError(
                "the text has \(text.utf8.count) bytes, at most \(ExpressionLimits.bytesMax) are allowed", column: 1)
        }
        scanner = Scanner(text)
        (token, offset) = try scanner.next()
    }

    mutating func wholeExpression() throws(ExpressionError) -> Program {
        try disjunction()
        guard token == .end else { throw error("the expression should end here, or go on with and, or, or a comparison") }
        return program
    }

    mutating func wholePath() throws(ExpressionError) -> Path {
        guard case .name(let name) = token else { throw error("a path begins with a name") }
        try advance()
        let path = Path([.name(name)] + (try steps()))
        guard token == .end else { throw error("the path should end here, or go on with . or [") }
        return path
    }

    private func error(_ message: String) -> ExpressionError { scanner.error(message, at: offset) }

    private mutating func advance() throws(ExpressionError) { (token, offset) = try scanner.next() }

    private mutating func expect(_ sign: String, _ message: String) throws(ExpressionError) {
        guard token == .sign(sign) else { throw error(message) }
        try advance()
    }

    private mutating func deeper(_ body: (inout Parser) throws(ExpressionError) -> Void) throws(ExpressionError) {
        guard depth < ExpressionLimits.depthMax else {
            throw error("nothing stands deeper than \(ExpressionLimits.depthMax) levels")
        }
        depth += 1
        try body(&self)
        depth -= 1
    }

    private mutating func disjunction() throws(ExpressionError) {
        try conjunction()
        var jumps: [Int] = []
        while token == .name("or") {
            jumps.append(program.instructions.count)
            program.emit(.orElse(0))
            try advance()
            try conjunction()
        }
        close(jumps) { .orElse($0) }
    }

    private mutating func conjunction() throws(ExpressionError) {
        try negation()
        var jumps: [Int] = []
        while token == .name("and") {
            jumps.append(program.instructions.count)
            program.emit(.andThen(0))
            try advance()
            try negation()
        }
        close(jumps) { .andThen($0) }
    }

    private mutating func close(_ jumps: [Int], _ jump: (Int) -> Program.Instruction) {
        guard !jumps.isEmpty else { return }
        program.emit(.truth)
        for index in jumps { program.instructions[index] = jump(program.instructions.count) }
    }

    private mutating func negation() throws(ExpressionError) {
        guard token == .name("not") else { return try comparison() }
        try deeper { (parser) throws(ExpressionError) in
            try parser.advance()
            try parser.negation()
            parser.program.emit(.not)
        }
    }

    private mutating func comparison() throws(ExpressionError) {
        try operand()
        guard let comparison = sign() else { return }
        try advance()
        try operand()
        program.emit(.compare(comparison))
        if sign() != nil { throw error("comparisons do not stand in a row; join two of them by and") }
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

    private mutating func operand() throws(ExpressionError) {
        switch token {
        case .int(let number): try literal(.int(number))
        case .text(let text): try literal(.text(text))
        case .name("true"): try literal(.bool(true))
        case .name("false"): try literal(.bool(false))
        case .name("null"): try literal(.null)
        case .name("not"): throw error("not stands before a whole comparison; write it in parentheses")
        case .name(let name) where ["and", "or", "in"].contains(name):
            throw error("a value is expected before \(name)")
        case .name(let name): try named(name)
        case .sign("("):
            try deeper { (parser) throws(ExpressionError) in
                try parser.advance()
                try parser.disjunction()
                try parser.expect(")", "a closing parenthesis is expected")
            }
        case .end: throw error("a value is expected: a path, a number, a text, true, false or null")
        case .sign(let sign): throw error("a value is expected, not \(sign)")
        }
    }

    private mutating func literal(_ operand: Operand) throws(ExpressionError) {
        program.emit(.push(operand))
        try advance()
    }

    // A word before a parenthesis is a function; any other begins a path.
    private mutating func named(_ name: String) throws(ExpressionError) {
        let start = offset
        try advance()
        guard token == .sign("(") else {
            program.emit(.read(try source(name)))
            return
        }
        let kind: Program.LoopKind
        switch name {
        case "any": kind = .any
        case "all": kind = .all
        case "count": kind = .count
        default: throw scanner.error("there is no such function; count, any and all are known", at: start)
        }
        try deeper { (parser) throws(ExpressionError) in try parser.function(kind) }
    }

    // count(LIST), or any, all and count with (NAME in LIST: CONDITION); the token is the opening parenthesis.
    private mutating func function(_ kind: Program.LoopKind) throws(ExpressionError) {
        try advance()
        guard case .name(let name) = token else { throw error("the path of a list is expected") }
        let nameOffset = offset
        try advance()
        guard token == .name("in") else {
            guard kind == .count else {
                throw scanner.error("a name for the element and in are expected: todo in todos.items: CONDITION", at: nameOffset)
            }
            program.emit(.count(try source(name)))
            return try expect(")", "a closing parenthesis is expected")
        }
        guard !Self.words.contains(name) else { throw scanner.error("\(name) is a word of the language", at: nameOffset) }
        guard loops.count < ExpressionLimits.loopsMax else {
            throw scanner.error("no more than \(ExpressionLimits.loopsMax) loops stand in one another", at: nameOffset)
        }
        try advance()
        guard case .name(let list) = token else { throw error("the path of a list is expected") }
        try advance()
        let listSource = try source(list)
        try expect(":", "a colon and a condition are expected")
        let begin = program.instructions.count
        program.emit(.push(.null))
        loops.append(name)
        try disjunction()
        loops.removeLast()
        program.emit(.again(begin + 1))
        program.instructions[begin] = .begin(kind, listSource, end: program.instructions.count)
        try expect(")", "a closing parenthesis is expected")
    }

    private static let words = ["and", "or", "not", "in", "true", "false", "null"]

    // The element of the innermost loop of that name, or else a path from the root; the token is what follows the name.
    private mutating func source(_ name: String) throws(ExpressionError) -> Program.Source {
        guard !Self.words.contains(name) else { throw error("\(name) is a word of the language, not a path") }
        let further = try steps()
        if let loop = loops.lastIndex(of: name) { return .element(loop: loop, further) }
        return .path(program.index(of: Path([.name(name)] + further)))
    }

    private mutating func steps() throws(ExpressionError) -> [Path.Step] {
        var steps: [Path.Step] = []
        while true {
            if token == .sign(".") {
                try advance()
                guard case .name(let name) = token else { throw error("a name is expected behind the dot") }
                steps.append(.name(name))
                try advance()
            } else if token == .sign("[") {
                try advance()
                steps.append(try selector())
                try expect("]", "a closing bracket is expected")
            } else {
                return steps
            }
        }
    }

    private mutating func selector() throws(ExpressionError) -> Path.Step {
        let step: Path.Step
        switch token {
        case .int(let id): step = .id(id)
        case .text(let name): step = .name(name)
        case .sign("@"):
            try advance()
            guard case .int(let position) = token, let position = Int(exactly: position) else {
                throw error("a position is expected: [@0] is the first element, [@-1] the last")
            }
            step = .position(position)
        default: throw error("an id like [12], a position like [@0] or a name like [\"apple/swift\"] is expected")
        }
        try advance()
        return step
    }
}
