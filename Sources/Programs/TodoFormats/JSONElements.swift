import Values

/// The objects of a file of JSON: those of a list, or one a line.
enum JSONElements {
    /// Objects with the lines that they begin in.
    ///
    /// - Throws: the line that is no JSON.
    static func read(_ bytes: [UInt8]) throws(FormatError) -> [(value: Value, line: Int)] {
        guard !bytes.allSatisfy(isSpace) else { return [] }
        let whole: Value
        do throws(JSONError) { whole = try Value(parsing: bytes, limits: limits) } catch {
            guard error.reason == .trailingBytes else { throw failure(error, SourceText.line(at: error.offset, in: bytes)) }
            return try lines(bytes)
        }
        guard case .list(let elements) = whole else { return [(whole, 1)] }
        return Array(zip(elements, starts(ofElementsIn: bytes))).map { (value: $0.0, line: $0.1) }
    }

    private static let limits = JSONLimits(depthMax: 16, duplicateNames: .keep)

    private static func lines(_ bytes: [UInt8]) throws(FormatError) -> [(value: Value, line: Int)] {
        var found: [(value: Value, line: Int)] = []
        for (number, text) in try SourceText.lines(bytes) where !Words.isBlank(text) {
            // Older programs put a comma behind each.
            let object = text.hasSuffix(",") ? String(text.dropLast()) : text
            do throws(JSONError) { found.append((try Value(parsing: object, limits: limits), number)) } catch {
                throw failure(error, number)
            }
        }
        return found
    }

    private static func failure(_ error: JSONError, _ line: Int) -> FormatError {
        FormatError(line: line, "this is not valid JSON: \(error.reason.rawValue)")
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    /// The line that each element of a list begins in.
    private static func starts(ofElementsIn bytes: [UInt8]) -> [Int] {
        var lines: [Int] = []
        var (line, depth, isText, isEscaped, isBetween) = (1, 0, false, false, false)
        for byte in bytes {
            if byte == SourceText.lineFeed { line += 1 }
            guard !isText else {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isText = false
                }
                continue
            }
            if isSpace(byte) { continue }
            if depth == 1, isBetween, byte != UInt8(ascii: "]") {
                lines.append(line)
                isBetween = false
            }
            switch byte {
            case UInt8(ascii: "\""): isText = true
            case UInt8(ascii: ","): isBetween = depth == 1
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                depth += 1
                if depth == 1 { isBetween = true }
            case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            default: break
            }
        }
        return lines
    }
}
