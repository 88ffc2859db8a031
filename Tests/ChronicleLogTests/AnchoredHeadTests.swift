import ChronicleLog
import Testing

@Suite struct AnchoredHeadTests {
    @Test(arguments: [
        (HeadCheckpoint(sequence: 0, chain: 0, digest: 1), "0-0000000000000000-0000000000000001"),
        (HeadCheckpoint(sequence: 1042, chain: .max, digest: 0xAB), "1042-ffffffffffffffff-00000000000000ab"),
        (
            HeadCheckpoint(sequence: .max, chain: 1, digest: 2, redactions: 3),
            "18446744073709551615-0000000000000001-0000000000000002-3"
        ),
    ]) func `a head survives the conversion to text and back`(head: HeadCheckpoint, text: String) {
        #expect(head.description == text)
        #expect(HeadCheckpoint(text) == head)
    }

    @Test(arguments: [
        "", "1", "1-0000000000000000", "1-0000000000000000-", "1-000000000000000-0000000000000001",
        "1-00000000000000AB-0000000000000001", "1-+000000000000001-0000000000000001", "01-0000000000000000-0000000000000001",
        "-1-0000000000000000-0000000000000001", "1-0000000000000000-0000000000000001-0",
        "1-0000000000000000-0000000000000001-1-1", " 1-0000000000000000-0000000000000001",
        "1-0000000000000000-0000000000000001\n",
        "18446744073709551616-0000000000000000-0000000000000001",
    ]) func `any other text is not a head`(text: String) {
        #expect(HeadCheckpoint(text) == nil)
    }
}
