/// 64 bits as 16 digits.
package enum Hexadecimal {
    /// The digits of a number, in small letters.
    package static func text(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }

    /// The number of 16 digits; `nil` for any other text.
    package static func number(_ text: some StringProtocol) -> UInt64? {
        guard text.utf8.count == 16, text.utf8.allSatisfy({ $0 != UInt8(ascii: "+") }) else { return nil }
        return UInt64(text, radix: 16)
    }
}
