extension JSONReader {
    /// Reads a number: an integer directly, any other number with the exact conversion of the standard library.
    mutating func number(_ bytes: Span<UInt8>) throws(JSONError) -> Value {
        let start = offset
        let isNegative = bytes[offset] == UInt8(ascii: "-")
        if isNegative { offset += 1 }
        guard offset < bytes.count else { throw failure(.endOfText) }
        guard isDigit(bytes[offset]) else { throw failure(.invalidNumber) }

        // Accumulated as a negative number, because Int64 has one more negative value than positive ones.
        var negated: Int64 = 0
        var overflows = false
        if bytes[offset] == UInt8(ascii: "0") {
            offset += 1
            if offset < bytes.count, isDigit(bytes[offset]) { throw failure(.invalidNumber) }
        }
        while offset < bytes.count, isDigit(bytes[offset]) {
            let (product, productOverflows) = negated.multipliedReportingOverflow(by: 10)
            let (sum, sumOverflows) = product.subtractingReportingOverflow(Int64(bytes[offset] - UInt8(ascii: "0")))
            negated = sum
            overflows = overflows || productOverflows || sumOverflows
            offset += 1
        }
        if try skipFractionAndExponent(bytes) || overflows { return try double(bytes, start..<offset) }
        if isNegative { return .int(negated) }
        guard negated != .min else { return try double(bytes, start..<offset) }
        return .int(-negated)
    }

    /// Returns whether there was a fraction or an exponent.
    private mutating func skipFractionAndExponent(_ bytes: Span<UInt8>) throws(JSONError) -> Bool {
        let start = offset
        if offset < bytes.count, bytes[offset] == UInt8(ascii: ".") {
            offset += 1
            try skipDigits(bytes)
        }
        if offset < bytes.count, bytes[offset] == UInt8(ascii: "e") || bytes[offset] == UInt8(ascii: "E") {
            offset += 1
            if offset < bytes.count, bytes[offset] == UInt8(ascii: "+") || bytes[offset] == UInt8(ascii: "-") { offset += 1 }
            try skipDigits(bytes)
        }
        return offset != start
    }

    private mutating func skipDigits(_ bytes: Span<UInt8>) throws(JSONError) {
        guard offset < bytes.count else { throw failure(.endOfText) }
        guard isDigit(bytes[offset]) else { throw failure(.invalidNumber) }
        while offset < bytes.count, isDigit(bytes[offset]) { offset += 1 }
    }

    private func double(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(JSONError) -> Value {
        var text = ""
        for index in range { text.unicodeScalars.append(Unicode.Scalar(bytes[index])) }
        guard let value = Double(text) else { throw JSONError(offset: range.lowerBound, reason: .invalidNumber) }
        guard value.isFinite else { throw JSONError(offset: range.lowerBound, reason: .numberTooLarge) }
        return .double(value)
    }

    private func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }
}
