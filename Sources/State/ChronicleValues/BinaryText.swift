/// Base64 according to RFC 4648, with padding.
public enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 0xFF, count: 256)
        for (index, letter) in alphabet.enumerated() { values[Int(letter)] = UInt8(index) }
        return values
    }()

    public static func append(_ bytes: [UInt8], to text: inout [UInt8]) {
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(0) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
            for place in 0..<4 {
                text.append(place <= group.count ? alphabet[Int(bits >> UInt32(18 - 6 * place) & 63)] : UInt8(ascii: "="))
            }
        }
    }

    public static func text(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        append(bytes, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Decodes a text; nil if it is not canonical Base64.
    public static func bytes(_ text: String) -> [UInt8]? {
        let letters = Array(text.utf8)
        guard letters.count.isMultiple(of: 4) else { return nil }
        let padding = letters.suffix(2).count { $0 == UInt8(ascii: "=") }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(letters.count / 4 * 3)
        var group: UInt32 = 0
        for (index, letter) in letters.enumerated() {
            let isPadding = index >= letters.count - padding
            let value = isPadding ? 0 : values[Int(letter)]
            guard value < 64 else { return nil }
            group = group << 6 | UInt32(value)
            guard index % 4 == 3 else { continue }
            bytes.append(UInt8(truncatingIfNeeded: group >> 16))
            bytes.append(UInt8(truncatingIfNeeded: group >> 8))
            bytes.append(UInt8(truncatingIfNeeded: group))
            group = 0
        }
        let extra = bytes.suffix(padding)
        guard extra.allSatisfy({ $0 == 0 }) else { return nil }
        bytes.removeLast(padding)
        return bytes
    }
}

/// 64-bit numbers as 16 hexadecimal digits.
package enum Hexadecimal {
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
