extension JSONReader {
    /// Reads a string that begins at the offset with its quote.
    mutating func string(_ bytes: Span<UInt8>) throws(JSONError) -> String {
        let start = offset + 1
        var end = start
        while end < bytes.count {
            let byte = bytes[end]
            if byte == Ascii.quote {
                let value = try piece(bytes, start..<end)
                offset = end + 1
                return value
            }
            if byte == Ascii.backslash { return try escapedString(bytes, start: start, firstEscape: end) }
            guard byte >= Ascii.space else { throw JSONError(offset: end, reason: .controlCharacter) }
            end += 1
        }
        throw JSONError(offset: end, reason: .endOfText)
    }

    /// The text of some bytes, if they are UTF-8.
    private func piece(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(JSONError) -> String {
        do {
            return String(copying: try UTF8Span(validating: bytes.extracting(range)))
        } catch {
            throw JSONError(offset: range.lowerBound, reason: .invalidUTF8)
        }
    }

    /// Reads a string with at least one escape: the plain runs between escapes are copied as they are.
    private mutating func escapedString(_ bytes: Span<UInt8>, start: Int, firstEscape: Int) throws(JSONError) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(2 * (firstEscape - start) + 16)
        for index in start..<firstEscape { text.append(bytes[index]) }
        offset = firstEscape
        while offset < bytes.count {
            let byte = bytes[offset]
            switch byte {
            case Ascii.quote:
                offset += 1
                // Escapes give whole scalars, so the result is UTF-8 exactly when the bytes between them are.
                return try piece(text.span, from: start)
            case Ascii.backslash:
                try escape(bytes, into: &text)
            case Ascii.space...:
                text.append(byte)
                offset += 1
            default:
                throw failure(.controlCharacter)
            }
        }
        throw failure(.endOfText)
    }

    private func piece(_ text: Span<UInt8>, from start: Int) throws(JSONError) -> String {
        do {
            return String(copying: try UTF8Span(validating: text))
        } catch {
            throw JSONError(offset: start, reason: .invalidUTF8)
        }
    }

    /// Reads one escape, from its backslash on.
    private mutating func escape(_ bytes: Span<UInt8>, into text: inout [UInt8]) throws(JSONError) {
        guard offset + 1 < bytes.count else { throw JSONError(offset: bytes.count, reason: .endOfText) }
        let plain: UInt8
        switch bytes[offset + 1] {
        case Ascii.quote: plain = Ascii.quote
        case Ascii.backslash: plain = Ascii.backslash
        case Ascii.slash: plain = Ascii.slash
        case Ascii.b: plain = 0x08
        case Ascii.f: plain = 0x0C
        case Ascii.n: plain = Ascii.newline
        case Ascii.r: plain = Ascii.carriageReturn
        case Ascii.t: plain = Ascii.tab
        case Ascii.u:
            try unicodeEscape(bytes, into: &text)
            return
        default:
            throw failure(.invalidEscape)
        }
        text.append(plain)
        offset += 2
    }

    private mutating func unicodeEscape(_ bytes: Span<UInt8>, into text: inout [UInt8]) throws(JSONError) {
        let first = try hexadecimal(bytes, at: offset + 2)
        var value = first
        var length = 6
        if first & 0xFC00 == 0xD800 {
            guard offset + 7 < bytes.count, bytes[offset + 6] == Ascii.backslash, bytes[offset + 7] == Ascii.u else {
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
            let digit: UInt32
            switch bytes[index] {
            case 0x30...0x39: digit = UInt32(bytes[index]) - 0x30
            case 0x41...0x46: digit = UInt32(bytes[index]) - 0x41 + 10
            case 0x61...0x66: digit = UInt32(bytes[index]) - 0x61 + 10
            default: throw JSONError(offset: index, reason: .invalidEscape)
            }
            value = value << 4 | digit
        }
        return value
    }
}
