/// XXH3-64, the checksum of all stored data.
///
/// It detects damage, not forgery. Implemented in Swift from the specification at
/// https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md, section XXH3.
public enum Checksum {
    public static func of(_ bytes: RawSpan) -> UInt64 { of(bytes, seed: 0) }

    public static func of(_ bytes: RawSpan, seed: UInt64) -> UInt64 {
        switch bytes.byteCount {
        case 0: avalanche64(seed ^ secret(56) ^ secret(64))
        case 1...3: upTo3(bytes, seed)
        case 4...8: upTo8(bytes, seed)
        case 9...16: upTo16(bytes, seed)
        case 17...128: upTo128(bytes, seed)
        case 129...240: upTo240(bytes, seed)
        default: long(bytes, seed)
        }
    }

    private static func upTo3(_ bytes: RawSpan, _ seed: UInt64) -> UInt64 {
        let count = bytes.byteCount
        let (first, middle, last) = (bytes.byte(0), bytes.byte(count >> 1), bytes.byte(count - 1))
        let combined = first << 16 | middle << 24 | last | UInt64(count) << 8
        return avalanche64(combined ^ (((secret(0) & 0xFFFF_FFFF) ^ (secret(0) >> 32)) &+ seed))
    }

    private static func upTo8(_ bytes: RawSpan, _ seed: UInt64) -> UInt64 {
        let count = bytes.byteCount
        let seed = seed ^ UInt64(UInt32(truncatingIfNeeded: seed).byteSwapped) << 32
        let keyed = (bytes.word32(count - 4) | bytes.word32(0) << 32) ^ ((secret(8) ^ secret(16)) &- seed)
        var hash = keyed ^ rotated(keyed, 49) ^ rotated(keyed, 24)
        hash = hash &* 0x9FB2_1C65_1E98_DF25
        hash = (hash ^ ((hash >> 35) &+ UInt64(count))) &* 0x9FB2_1C65_1E98_DF25
        return hash ^ hash >> 28
    }

    private static func upTo16(_ bytes: RawSpan, _ seed: UInt64) -> UInt64 {
        let count = bytes.byteCount
        let low = bytes.word(0) ^ ((secret(24) ^ secret(32)) &+ seed)
        let high = bytes.word(count - 8) ^ ((secret(40) ^ secret(48)) &- seed)
        return avalanche(UInt64(count) &+ low.byteSwapped &+ high &+ folded(low, high))
    }

    private static func upTo128(_ bytes: RawSpan, _ seed: UInt64) -> UInt64 {
        let count = bytes.byteCount
        var hash = UInt64(count) &* prime1
        if count > 32 {
            if count > 64 {
                if count > 96 { hash = hash &+ mixed(bytes, 48, 96, seed) &+ mixed(bytes, count - 64, 112, seed) }
                hash = hash &+ mixed(bytes, 32, 64, seed) &+ mixed(bytes, count - 48, 80, seed)
            }
            hash = hash &+ mixed(bytes, 16, 32, seed) &+ mixed(bytes, count - 32, 48, seed)
        }
        return avalanche(hash &+ mixed(bytes, 0, 0, seed) &+ mixed(bytes, count - 16, 16, seed))
    }

    private static func upTo240(_ bytes: RawSpan, _ seed: UInt64) -> UInt64 {
        let count = bytes.byteCount
        var hash = UInt64(count) &* prime1
        for round in 0..<8 { hash = hash &+ mixed(bytes, 16 * round, 16 * round, seed) }
        hash = avalanche(hash)
        for round in 8..<count / 16 { hash = hash &+ mixed(bytes, 16 * round, 16 * (round - 8) + 3, seed) }
        return avalanche(hash &+ mixed(bytes, count - 16, 119, seed))
    }

    private static func long(_ bytes: RawSpan, _ seed: UInt64) -> UInt64 {
        var stripes = Stripes(seed)
        stripes.add(bytes, from: 0, count: (bytes.byteCount - 1) / 64)
        return stripes.hash(endingWith: bytes, total: bytes.byteCount)
    }

    /// Processes stripes of 64 bytes in eight lanes, which are scrambled every 16 stripes.
    fileprivate struct Stripes {
        private var key = secretWords
        private var lanes = SIMD8<UInt64>(
            0xC2B2_AE3D, prime1, 0xC2B2_AE3D_27D4_EB4F, 0x1656_67B1_9E37_79F9, 0x85EB_CA77_C2B2_AE63, 0x85EB_CA77,
            0x27D4_EB2F_1656_67C5, 0x9E37_79B1)
        private var done = 0

        init(_ seed: UInt64) {
            guard seed != 0 else { return }
            for place in key.indices { key[place] = place.isMultiple(of: 2) ? key[place] &+ seed : key[place] &- seed }
        }

        @inline(__always)
        mutating func add(_ bytes: RawSpan, from offset: Int, count: Int) {
            let (secret, first) = (key.span.bytes, done)
            var lanes = lanes
            for stripe in 0..<count {
                let place = (first + stripe) % 16
                lanes = accumulated(lanes, bytes.lanes(offset + 64 * stripe), secret.lanes(8 * place))
                if place == 15 { lanes = (lanes ^ lanes &>> 47 ^ secret.lanes(128)) &* 0x9E37_79B1 }
            }
            (self.lanes, done) = (lanes, first + count)
        }

        /// The last 64 bytes are included a second time.
        @inline(__always)
        func hash(endingWith bytes: RawSpan, total: Int) -> UInt64 {
            let secret = key.span.bytes
            let lanes = accumulated(lanes, bytes.lanes(bytes.byteCount - 64), secret.lanes(121))
            var hash = UInt64(total) &* prime1
            for pair in 0..<4 {
                hash =
                    hash
                    &+ folded(lanes[2 * pair] ^ secret.word(11 + 16 * pair), lanes[2 * pair + 1] ^ secret.word(19 + 16 * pair))
            }
            return avalanche(hash)
        }
    }

    /// Computes the checksum of bytes that arrive in pieces.
    public struct Running {
        private let seed: UInt64
        private var stripes: Stripes
        public private(set) var count = 0
        // The bytes that are in no stripe yet, and the 64 bytes before them.
        private var rest: [UInt8] = []
        private var offset = 0

        public init(seed: UInt64 = 0) { (self.seed, stripes) = (seed, Stripes(seed)) }

        public mutating func add(_ piece: [UInt8]) {
            count += piece.count
            rest += piece
            guard count > 240 else { return }
            // At least one byte stays for the end.
            let ready = (rest.count - offset - 1) / 64
            var stripes = stripes
            stripes.add(rest.span.bytes, from: offset, count: ready)
            self.stripes = stripes
            rest.removeFirst(offset + 64 * ready - 64)
            offset = 64
        }

        public var value: UInt64 {
            count > 240 ? stripes.hash(endingWith: rest.span.bytes, total: count) : Checksum.of(rest.span.bytes, seed: seed)
        }
    }

    @inline(__always)
    private static func accumulated(
        _ lanes: SIMD8<UInt64>, _ data: SIMD8<UInt64>, _ secret: SIMD8<UInt64>
    ) -> SIMD8<UInt64> {
        let keyed = data ^ secret
        var swapped = data
        (swapped.evenHalf, swapped.oddHalf) = (data.oddHalf, data.evenHalf)
        return lanes &+ swapped &+ (keyed & 0xFFFF_FFFF) &* (keyed &>> 32)
    }

    @inline(__always)
    private static func mixed(_ bytes: RawSpan, _ offset: Int, _ place: Int, _ seed: UInt64) -> UInt64 {
        folded(bytes.word(offset) ^ (secret(place) &+ seed), bytes.word(offset + 8) ^ (secret(place + 8) &- seed))
    }

    /// The exclusive or of both halves of the product.
    @inline(__always)
    private static func folded(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let (high, low) = left.multipliedFullWidth(by: right)
        return high ^ low
    }

    @inline(__always)
    private static func rotated(_ number: UInt64, _ count: UInt64) -> UInt64 { number << count | number >> (64 - count) }

    @inline(__always)
    private static func avalanche(_ number: UInt64) -> UInt64 {
        let hash = (number ^ number >> 37) &* 0x1656_6791_9E37_79F9
        return hash ^ hash >> 32
    }

    private static func avalanche64(_ number: UInt64) -> UInt64 {
        var hash = (number ^ number >> 33) &* 0xC2B2_AE3D_27D4_EB4F
        hash = (hash ^ hash >> 29) &* 0x1656_67B1_9E37_79F9
        return hash ^ hash >> 32
    }

    private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87

    @inline(__always)
    private static func secret(_ offset: Int) -> UInt64 { secretWords.span.bytes.word(offset) }

    // The default secret of XXH3, as little-endian words.
    private static let secretWords: [24 of UInt64] = [
        0xBE4B_A423_396C_FEB8, 0x1CAD_21F7_2C81_017C, 0xDB97_9083_E96D_D4DE, 0x1F67_B3B7_A4A4_4072,
        0x78E5_C0CC_4EE6_79CB, 0x2172_FFCC_7DD0_5A82, 0x8E24_43F7_7446_08B8, 0x4C26_3A81_E690_35E0,
        0xCB00_C391_BB52_283C, 0xA32E_531B_8B65_D088, 0x4EF9_0DA2_9748_6471, 0xD8AC_DEA9_46EF_1938,
        0x3F34_9CE3_3F76_FAA8, 0x1D4F_0BC7_C7BB_DCF9, 0x3159_B4CD_4BE0_518A, 0x6473_78D9_C97E_9FC8,
        0xC3EB_D334_83AC_C5EA, 0xEB63_13FA_FFA0_81C5, 0x49DA_F0B7_51DD_0D17, 0x9E68_D429_2655_16D3,
        0xFCA1_477D_58BE_162B, 0xCE31_D07A_D1B8_F88F, 0x2804_1695_8F3A_CB45, 0x7E40_4BBB_CAFB_D7AF,
    ]
}

extension RawSpan {
    @inline(__always)
    fileprivate func byte(_ offset: Int) -> UInt64 { UInt64(unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self)) }

    @inline(__always)
    fileprivate func word32(_ offset: Int) -> UInt64 {
        UInt64(UInt32(littleEndian: unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt32.self)))
    }

    @inline(__always)
    fileprivate func word(_ offset: Int) -> UInt64 {
        UInt64(littleEndian: unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self))
    }

    @inline(__always)
    fileprivate func lanes(_ offset: Int) -> SIMD8<UInt64> {
        SIMD8(
            word(offset), word(offset + 8), word(offset + 16), word(offset + 24), word(offset + 32), word(offset + 40),
            word(offset + 48), word(offset + 56))
    }
}
