extension JSONReader {
    /// Reads a string from its opening quote on.
    mutating func string(_ bytes: Span<UInt8>) throws(JSONError) -> String {
        let start = offset + 1
        var end = start
        while end < bytes.count {
            let byte = bytes[end]
            if byte == UInt8(ascii: "\"") {
                let value = try piece(bytes.extracting(start..<end), at: start)
                offset = end + 1
                return value
            }
            if byte == UInt8(ascii: "\\") { return try escapedString(bytes, start: start, firstEscape: end) }
            guard byte >= UInt8(ascii: " ") else { throw JSONError(offset: end, reason: .controlCharacter) }
            end += 1
        }
        throw JSONError(offset: end, reason: .endOfText)
    }

    /// Copies bytes as text after validating their UTF-8.
    private func piece(_ bytes: Span<UInt8>, at start: Int) throws(JSONError) -> String {
        do { return String(copying: try UTF8Span(validating: bytes)) } catch {
            throw JSONError(offset: start, reason: .invalidUTF8)
        }
    }

    /// Reads a string that contains an escape; the text between escapes is copied unchanged.
    private mutating func escapedString(_ bytes: Span<UInt8>, start: Int, firstEscape: Int) throws(JSONError) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(2 * (firstEscape - start) + 16)
        for index in start..<firstEscape { text.append(bytes[index]) }
        offset = firstEscape
        while offset < bytes.count {
            switch bytes[offset] {
            case UInt8(ascii: "\""):
                offset += 1
                // Escapes produce whole scalars, so the result is valid UTF-8 if and only if the bytes in between are.
                return try piece(text.span, at: start)
            case UInt8(ascii: "\\"): try escape(bytes, into: &text)
            case let byte where byte >= UInt8(ascii: " "):
                text.append(byte)
                offset += 1
            default: throw failure(.controlCharacter)
            }
        }
        throw failure(.endOfText)
    }

    /// Reads one escape from its backslash on.
    private mutating func escape(_ bytes: Span<UInt8>, into text: inout [UInt8]) throws(JSONError) {
        guard offset + 1 < bytes.count else { throw JSONError(offset: bytes.count, reason: .endOfText) }
        let plain: UInt8
        switch bytes[offset + 1] {
        case let byte where [UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/")].contains(byte): plain = byte
        case UInt8(ascii: "b"): plain = 0x08
        case UInt8(ascii: "f"): plain = 0x0C
        case UInt8(ascii: "n"): plain = UInt8(ascii: "\n")
        case UInt8(ascii: "r"): plain = UInt8(ascii: "\r")
        case UInt8(ascii: "t"): plain = UInt8(ascii: "\t")
        case UInt8(ascii: "u"): return try unicodeEscape(bytes, into: &text)
        default: throw failure(.invalidEscape)
        }
        text.append(plain)
        offset += 2
    }

    private mutating func unicodeEscape(_ bytes: Span<UInt8>, into text: inout [UInt8]) throws(JSONError) {
        let first = try hexadecimal(bytes, at: offset + 2)
        var value = first
        var length = 6
        if first & 0xFC00 == 0xD800 {
            guard offset + 7 < bytes.count, bytes[offset + 6] == UInt8(ascii: "\\"), bytes[offset + 7] == UInt8(ascii: "u") else {
                throw failure(.loneSurrogate)
            }
            let second = try hexadecimal(bytes, at: offset + 8)
            guard second & 0xFC00 == 0xDC00 else { throw failure(.loneSurrogate) }
            value = 0x10000 + (first & 0x3FF) << 10 + (second & 0x3FF)
            length = 12
        }
        guard let scalar = Unicode.Scalar(value) else { throw failure(.loneSurrogate) }
        text.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
        offset += length
    }

    private func hexadecimal(_ bytes: Span<UInt8>, at start: Int) throws(JSONError) -> UInt32 {
        guard start + 4 <= bytes.count else { throw JSONError(offset: bytes.count, reason: .endOfText) }
        var value: UInt32 = 0
        for index in start..<start + 4 {
            guard let digit = Character(Unicode.Scalar(bytes[index])).hexDigitValue else {
                throw JSONError(offset: index, reason: .invalidEscape)
            }
            value = value << 4 | UInt32(digit)
        }
        return value
    }
}
