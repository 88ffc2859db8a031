/// 64 bits as 16 digits.
enum Hexadecimal {
    static func text(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }

    static func number(_ text: String?) -> UInt64? {
        guard let text, text.utf8.count == 16 else { return nil }
        return UInt64(text, radix: 16)
    }
}
