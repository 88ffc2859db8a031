/// 64-bit numbers as 16 hexadecimal digits.
package enum Hexadecimal {
    /// Formats a number in lower case.
    package static func text(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }

    /// Parses exactly 16 digits; nil for any other text.
    package static func number(_ text: some StringProtocol) -> UInt64? {
        guard text.utf8.count == 16, text.utf8.allSatisfy({ $0 != UInt8(ascii: "+") }) else { return nil }
        return UInt64(text, radix: 16)
    }
}
