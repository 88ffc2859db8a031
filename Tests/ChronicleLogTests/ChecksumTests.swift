import ChronicleLog
import Testing

/// The numbers come from the C library xxHash 0.8.
///
/// Data with these checksums must remain readable forever.
@Suite struct ChecksumTests {
    private let bytes = (0..<3_000).map { UInt8(truncatingIfNeeded: (UInt32(truncatingIfNeeded: $0) &* 2_654_435_761) >> 24) }

    @Test(
        arguments: [
            (0, 0x2D06_8005_38D3_94C2, 0x07F7_0F81_9703_314D),
            (1, 0xC44B_DFF4_074E_ECDB, 0x719A_E0FC_4EB5_DB08),
            (3, 0xE140_90F5_54A5_EA90, 0x6EB5_6276_91A1_6D9D),
            (4, 0x2E8D_078A_566E_9749, 0xB0CA_E675_E8AF_58F9),
            (8, 0xCD1C_7F88_482F_CAEF, 0x320F_50E0_8268_628D),
            (9, 0xBFE4_3DEF_699F_A9E3, 0x279B_B644_E9F7_2784),
            (16, 0x81E9_EB86_3446_0BB9, 0xE14A_0605_E4B3_EC0A),
            (17, 0x9998_430F_D0A6_55BE, 0x8459_FD97_F38B_3DF7),
            (128, 0x75EC_A5C5_D559_4884, 0x691A_C78D_4D2A_3418),
            (129, 0xA05D_A42E_7A4E_4667, 0x7343_3C0A_4D86_B981),
            (240, 0x5EB2_467C_8C9E_3969, 0x2C2D_3375_EAE2_AA31),
            (241, 0x2D43_1E98_4C44_1F15, 0xE32B_8467_4CA7_209F),
            (1024, 0xE99D_EF11_45F1_2936, 0x1178_6188_AF27_CE37),
            (1025, 0x83CB_A9B3_71E4_E7F4, 0xDCB3_7B8B_AECA_12A1),
            (2048, 0x5327_5D58_CFBA_68FD, 0x7B81_03A3_6D0E_9057),
            (3000, 0x0CAD_6FFB_A899_6275, 0xF573_FAE0_0156_C557),
        ] as [(Int, UInt64, UInt64)])
    func `inputs at each length where the algorithm changes have the checksum of the C library, with and without a seed`(
        count: Int, plain: UInt64, seeded: UInt64
    ) {
        let span = bytes.span.bytes.extracting(0..<count)
        #expect(Checksum.of(span) == plain)
        #expect(Checksum.of(span, seed: 0) == plain)
        #expect(Checksum.of(span, seed: 0x9E37_79B1_85EB_CA87) == seeded)
    }

    @Test func `the checksum of several chunks is that of their concatenation`() {
        for count in stride(from: 0, through: bytes.count, by: 7) {
            for size in [1, 63, 64, 65, 200, 241, 1_024] {
                var running = Checksum.Running(seed: UInt64(count))
                for start in stride(from: 0, to: count, by: size) { running.add(Array(bytes[start..<min(count, start + size)])) }
                #expect(running.count == count)
                #expect(
                    running.value == Checksum.of(bytes.span.bytes.extracting(0..<count), seed: UInt64(count)), "\(count), \(size)"
                )
            }
        }
    }

    @Test func `inputs of all lengths up to three thousand have the checksums of the C library, each with its own seed`() {
        var all: UInt64 = 0
        for count in 0...bytes.count {
            let span = bytes.span.bytes.extracting(0..<count)
            all = all &* 31 &+ Checksum.of(span)
            all = all &* 31 &+ Checksum.of(span, seed: all)
        }
        #expect(all == 0x297D_B35F_CBBB_9C03)
    }
}
