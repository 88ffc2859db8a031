import ChronicleValues

/// The objects of a JSON file: a list, or one object per line.
enum JSONElements {
    /// Passes each object and its first line to `take` before it parses the next one.
    ///
    /// - Throws: the line of a syntax error, and errors of the closure.
    static func read(
        _ bytes: [UInt8], _ take: (Value, _ line: Int) throws(FormatError) -> Void
    ) throws(FormatError) {
        guard let first = bytes.first(where: { !isSpace($0) }) else { return }
        guard first != UInt8(ascii: "[") else { return try list(bytes, take) }
        let whole: Value
        do throws(JSONError) { whole = try Value(parsing: bytes, limits: limits) } catch {
            guard error.reason == .trailingBytes else { throw failure(error, SourceText.line(at: error.offset, in: bytes)) }
            return try lines(bytes, take)
        }
        try take(whole, 1)
    }

    // The file may be one object that contains the list. A file of zeros would take forty times its size in memory.
    private static let limits = JSONLimits(depthMax: 16, valuesMax: 4 << 20, duplicateNames: .keep)

    private static func list(
        _ bytes: [UInt8], _ take: (Value, _ line: Int) throws(FormatError) -> Void
    ) throws(FormatError) {
        var reader = JSONElementReader(limits: limits)
        var (line, counted) = (1, 0)
        while true {
            let next: (value: Value, offset: Int)?
            do throws(JSONError) { next = try reader.next(in: bytes) } catch {
                throw failure(error, SourceText.line(at: error.offset, in: bytes))
            }
            guard let element = next else { return }
            line += bytes[counted..<element.offset].count { $0 == SourceText.lineFeed }
            counted = element.offset
            try take(element.value, line)
        }
    }

    private static func lines(
        _ bytes: [UInt8], _ take: (Value, _ line: Int) throws(FormatError) -> Void
    ) throws(FormatError) {
        for (number, text) in try SourceText.lines(bytes) where !Words.isBlank(text) {
            // Older programs put a comma after each object.
            let object = text.hasSuffix(",") ? String(text.dropLast()) : text
            let value: Value
            do throws(JSONError) { value = try Value(parsing: object, limits: limits) } catch {
                throw failure(error, number)
            }
            try take(value, number)
        }
    }

    private static func failure(_ error: JSONError, _ line: Int) -> FormatError {
        FormatError(line: line, "this is not valid JSON: \(error.reason.rawValue)")
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
