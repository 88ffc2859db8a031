import Reducing

extension Parser {
    /// A function of a name; the token is the opening parenthesis.
    mutating func function(_ name: String, at start: Int) throws(ExpressionError) -> Shape {
        switch name {
        case "contains": try searching { .contains($0) }
        case "startsWith": try searching { .begins($0) }
        case "endsWith": try searching { .ends($0) }
        case "length": try applying(.length, .int) { (shape) throws(Misfit) in try shape.checkText() }
        case "lower": try applying(.lower, .text) { (shape) throws(Misfit) in try shape.checkText() }
        case "day": try applying(.day, .int) { (shape) throws(Misfit) in try shape.checkDay() }
        case "days": try applying(.days, .int) { (shape) throws(Misfit) in try shape.checkNumber() }
        case "any": try looping(.any)
        case "all": try looping(.all)
        case "count": try looping(.count)
        case "sum": try looping(.sum)
        case "min": try looping(.min)
        case "max": try looping(.max)
        default: throw scanner.error("there is no such function; \(Self.functions) are known", at: start)
        }
    }

    private static let functions =
        "count, any, all, sum, min, max, contains, startsWith, endsWith, length, lower, day and days"

    // length(TEXT)
    private mutating func applying(
        _ function: Function, _ result: Shape, _ check: (Shape) throws(Misfit) -> Void
    ) throws(ExpressionError) -> Shape {
        try deeper { (parser) throws(ExpressionError) in
            try parser.advance()
            let start = parser.offset
            let shape = try parser.sum()
            if case .any = parser.root {} else { try parser.at(start) { () throws(Misfit) in try check(shape) } }
            parser.code.emit(applying: function)
            try parser.expect(")", "a closing parenthesis is expected")
            return result
        }
    }

    // contains(TEXT, "WORDS")
    private mutating func searching(_ test: (SubstringSearch) -> TextTest) throws(ExpressionError) -> Shape {
        try deeper { (parser) throws(ExpressionError) in
            try parser.advance()
            let start = parser.offset
            let shape = try parser.operand()
            if case .any = parser.root {} else { try parser.at(start) { () throws(Misfit) in try shape.checkText() } }
            try parser.expect(",", "a comma is expected, and behind it the text that is looked for")
            guard case .text(let sought) = parser.token else {
                throw parser.error("the text that is looked for stands in quotes")
            }
            parser.code.emit(applying: .test(test(SubstringSearch(anyCase: sought))))
            try parser.advance()
            try parser.expect(")", "a closing parenthesis is expected")
            return .bool
        }
    }

    private mutating func looping(_ kind: LoopKind) throws(ExpressionError) -> Shape {
        try deeper { (parser) throws(ExpressionError) in try parser.loop(kind) }
        return kind == .any || kind == .all ? .bool : .int
    }

    // count(LIST), or any, all and the others with (NAME in LIST: CONDITION or NUMBER).
    private mutating func loop(_ kind: LoopKind) throws(ExpressionError) {
        try advance()
        guard case .name(let name) = token else { throw error("the path of a list is expected") }
        let nameOffset = offset
        try advance()
        guard token == .name("in") else {
            guard kind == .count else {
                let body = kind.isOfNumbers ? "NUMBER" : "CONDITION"
                throw scanner.error("a name for the element and in are expected: todo in todos.items: \(body)", at: nameOffset)
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
        try expect(":", "a colon and a \(kind.isOfNumbers ? "number" : "condition") are expected")
        let begin = code.instructions.count
        code.emit(pushing: .null)
        loops.append((name, list.element))
        let bodyOffset = offset
        if kind.isOfNumbers { try checkNumber(try sum(), at: bodyOffset) } else { _ = try disjunction() }
        loops.removeLast()
        code.emit(.again(begin + 1))
        code.instructions[begin] = .begin(kind, list.source, end: code.instructions.count)
        try expect(")", "a closing parenthesis is expected")
    }
}
