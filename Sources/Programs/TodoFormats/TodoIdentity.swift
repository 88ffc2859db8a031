import ChronicleValues

/// Generated ids for todos without a source id.
public enum TodoIdentity {
    /// A UUID of version 8 (RFC 9562) from the id and the creation time, so each export uses the same one.
    public static func uuid(id: Int64, created: Int64) -> String {
        // 60 bits of the time and 62 of the id, plus version and variant.
        let (time, number) = (UInt64(bitPattern: created), UInt64(bitPattern: id))
        let high = (time >> 12) << 16 | 0x8000 | time & 0xFFF
        let low = 0x8000_0000_0000_0000 | number & 0x3FFF_FFFF_FFFF_FFFF
        let digits = Hexadecimal.text(high) + Hexadecimal.text(low)
        var text = ""
        for (index, digit) in digits.enumerated() {
            if [8, 12, 16, 20].contains(index) { text.append("-") }
            text.append(digit)
        }
        return text
    }

    /// The id of a todo without a source id: a hash of its title as 16 hex digits.
    public static func number(ofTitle title: String) -> String {
        // FNV-1a with 64 bits.
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in title.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        return Hexadecimal.text(hash)
    }
}
