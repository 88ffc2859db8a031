import Glibc

/// The kind of network of an address; it decides whether a redirect or link may lead there.
enum NetworkZone: Sendable, Hashable {
    case open
    case loopback
    /// A private network (RFC 1918, 4193, 6598).
    case closed
    /// The local link, where virtual machines find their credentials.
    case link
    /// Unspecified, multicast, reserved, and documentation addresses.
    case special

    /// The zone of a numeric address; ``special`` for other texts.
    init(of text: String) {
        // Ignores the scope after the percent sign.
        let number = String(text.prefix { $0 != "%" })
        var four = in_addr()
        var six = in6_addr()
        if inet_pton(AF_INET, number, &four) == 1 {
            self.init(four: UInt32(bigEndian: four.s_addr))
        } else if inet_pton(AF_INET6, number, &six) == 1 {
            let words = six.__in6_u.__u6_addr32
            self.init(
                six: [words.0, words.1, words.2, words.3].map { UInt32(bigEndian: $0) })
        } else {
            self = .special
        }
    }

    // The IANA special-purpose registries (RFC 6890), and multicast.
    private static let fours: [(prefix: UInt32, bits: UInt32, zone: NetworkZone)] = [
        (0x0000_0000, 8, .special), (0x0A00_0000, 8, .closed), (0x6440_0000, 10, .closed), (0x7F00_0000, 8, .loopback),
        (0xA9FE_0000, 16, .link), (0xAC10_0000, 12, .closed), (0xC000_0000, 24, .special), (0xC000_0200, 24, .special),
        (0xC058_6300, 24, .special), (0xC0A8_0000, 16, .closed), (0xC612_0000, 15, .special), (0xC633_6400, 24, .special),
        (0xCB00_7100, 24, .special), (0xE000_0000, 4, .special), (0xF000_0000, 4, .special),
    ]

    private init(four: UInt32) {
        self = Self.fours.first { four >> (32 - $0.bits) == $0.prefix >> (32 - $0.bits) }?.zone ?? .open
    }

    private init(six words: [UInt32]) {
        switch (words[0], words[1], words[2]) {
        case (0, 0, 0) where words[3] <= 1: self = words[3] == 1 ? .loopback : .special
        // Addresses that contain an IPv4 address: compatible, mapped, translated (RFC 6052), 6to4.
        case (0, 0, 0), (0, 0, 0xFFFF), (0x0064_FF9B, 0, 0): self.init(four: words[3])
        case (let first, let second, _) where first >> 16 == 0x2002: self.init(four: first << 16 | second >> 16)
        case (let first, _, _) where first >> 25 == 0xFC >> 1 || first >> 22 == 0xFEC0 >> 6: self = .closed
        case (0x0064_FF9B, let second, _) where second >> 16 == 1: self = .closed
        case (let first, _, _) where first >> 22 == 0xFE80 >> 6: self = .link
        case (0x2001_0DB8, _, _), (0x2001_0000, _, _): self = .special
        case (let first, _, _) where first >> 29 == 1: self = .open
        default: self = .special
        }
    }
}
