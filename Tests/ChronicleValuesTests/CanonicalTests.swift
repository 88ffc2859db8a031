import ChronicleValues
import TestSupport
import Testing

/// A message with a field of each kind.
private struct Sample: CanonicalCodable, Equatable {
    var number: UInt64 = 0
    var signed: Int64 = 0
    var truth = false
    var text = ""
    var bytes: [UInt8] = []
    var list: [String] = []
    var numbers: [UInt64] = []
    var inner: [Sample] = []
    var far = ""

    func encode(into writer: inout CanonicalWriter) {
        writer.field(1, number)
        writer.field(2, signed)
        writer.field(3, truth)
        writer.field(4, text)
        writer.field(5, bytes)
        for text in list { writer.element(6, text) }
        for number in numbers { writer.element(7, number) }
        for sample in inner { writer.message(9, sample) }
        writer.field(5000, far)
    }

    init(number: UInt64 = 0, text: String = "") {
        self.number = number
        self.text = text
    }

    init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        while let number = try cursor.nextField(in: bytes) {
            switch number {
            case 1: self.number = try cursor.uint(bytes)
            case 2: signed = try cursor.int(bytes)
            case 3: truth = try cursor.bool(bytes)
            case 4: text = try cursor.text(bytes)
            case 5: self.bytes = try cursor.bytes(bytes)
            case 6: list.append(try cursor.textElement(bytes))
            case 7: numbers.append(try cursor.uintElement(bytes))
            case 9: inner.append(try cursor.message(bytes))
            case 5000: far = try cursor.text(bytes)
            default: throw cursor.unknown()
            }
        }
    }
}

@Suite struct CanonicalTests {
    private func error(_ bytes: [UInt8]) -> CanonicalError.Reason? {
        do {
            _ = try Sample(canonical: bytes)
            return nil
        } catch {
            return error.reason
        }
    }

    private func random(_ random: inout SeededGenerator, depth: Int = 0) -> Sample {
        var sample = Sample()
        let edges: [UInt64] = [0, 1, 127, 128, 16383, 16384, 1 << 32, 1 << 63, .max]
        sample.number = edges.randomElement(using: &random) ?? 0
        sample.signed = Int64(bitPattern: edges.randomElement(using: &random) ?? 0)
        sample.truth = Bool.random(using: &random)
        sample.text = ["", "a", "é", "e\u{301}", String(repeating: "long ", count: 60)].randomElement(using: &random) ?? ""
        sample.bytes = Array(repeating: 255, count: Int.random(in: 0..<200, using: &random))
        sample.list = Array(repeating: "", count: Int.random(in: 0..<3, using: &random)) + [sample.text]
        sample.numbers = Array(edges.prefix(Int.random(in: 0..<9, using: &random)))
        if depth < 3 {
            for _ in 0..<Int.random(in: 0..<3, using: &random) { sample.inner.append(self.random(&random, depth: depth + 1)) }
        }
        sample.far = Bool.random(using: &random) ? "far" : ""
        return sample
    }

    @Test(arguments: 0..<100 as Range<UInt64>)
    func `encoded values decode to the same values`(seed: UInt64) throws {
        var generator = SeededGenerator(seed)
        let sample = random(&generator)
        #expect(try Sample(canonical: sample.canonicalBytes) == sample)
    }

    @Test func `default values are omitted`() {
        #expect(Sample().canonicalBytes.isEmpty)
    }

    @Test func `the encoding is stable`() {
        var sample = Sample()
        sample.number = 300
        sample.signed = -1
        sample.truth = true
        sample.text = "hé"
        sample.inner = [Sample()]
        #expect(sample.canonicalBytes == [4, 0xAC, 2, 8, 1, 12, 1, 17, 3, 0x68, 0xC3, 0xA9, 37, 0])
    }

    @Test(arguments: 0..<300 as Range<UInt64>)
    func `no other bytes decode to the same value, and none trap`(seed: UInt64) {
        var generator = SeededGenerator(seed)
        var bytes = random(&generator).canonicalBytes
        for _ in 0..<20 where !bytes.isEmpty {
            let index = Int.random(in: 0..<bytes.count, using: &generator)
            switch Int.random(in: 0..<3, using: &generator) {
            case 0: bytes[index] = UInt8.random(in: 0...255, using: &generator)
            case 1: bytes.remove(at: index)
            default: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: index)
            }
            // Accepted bytes are written back unchanged.
            if let sample = try? Sample(canonical: bytes) { #expect(sample.canonicalBytes == bytes) }
        }
    }

    @Test(arguments: 0..<64)
    func `a varint of any length is decoded at any distance from the end`(bits: Int) throws {
        for number in [1 << bits, UInt64.max >> bits] {
            for following in ["", "1234", "12345678901234567890"] {
                let sample = Sample(number: number, text: following)
                #expect(try Sample(canonical: sample.canonicalBytes) == sample)
            }
        }
    }

    @Test(arguments: 1..<10)
    func `an overlong varint is refused at any distance from the end`(length: Int) {
        let number = [UInt8](repeating: 0x81, count: length) + [0]
        #expect(error([4] + number) == .notCanonical)
        #expect(error([4] + number + [17, 10] + [UInt8](repeating: 0x61, count: 10)) == .notCanonical)
    }

    @Test func `each deviation has its error`() {
        #expect(error([4]) == .truncated)
        #expect(error([4, 0x80]) == .truncated)
        #expect(error([17, 5, 0x61]) == .truncated)
        #expect(error([40 + 4, 1, 4, 1]) == .unknownField(11))
        #expect(error([8, 2, 4, 1]) == .outOfOrder(1))
        #expect(error([4, 1, 4, 1]) == .outOfOrder(1))
        #expect(error([4, 0]) == .notCanonical)
        #expect(error([4, 0x81, 0]) == .notCanonical)
        #expect(error([0x84, 0, 1]) == .notCanonical)
        #expect(error([12, 2]) == .notCanonical)
        #expect(error([17, 0]) == .notCanonical)
        #expect(error([0, 1]) == .notCanonical)
        #expect(error([4] + Array(repeating: 0xFF, count: 9) + [2]) == .notCanonical)
        #expect(error([5, 1, 1]) == .wrongKind)
        #expect(error([16, 1]) == .wrongKind)
        #expect(error([6, 1]) == .wrongKind)
        #expect(error([17, 1, 0xFF]) == .invalidText)
        #expect(error([17, 2, 0xC0, 0x80]) == .invalidText)
    }

    @Test func `the largest number fits`() throws {
        var sample = Sample()
        sample.number = .max
        #expect(sample.canonicalBytes.count == 11)
        #expect(try Sample(canonical: sample.canonicalBytes).number == .max)
    }

    @Test func `an empty nested value can be omitted or written`() {
        var writer = CanonicalWriter()
        writer.field(1, Sample())
        #expect(writer.bytes.isEmpty)
        writer.message(1, Sample())
        #expect(writer.bytes == [5, 0])
        writer.field(5000, Sample())
        #expect(writer.bytes == [5, 0])
    }

    @Test(arguments: [127, 128, 16_383, 16_384, 3_000_000])
    func `a long nested message keeps its length`(count: Int) throws {
        var inner = Sample()
        inner.text = String(repeating: "x", count: count)
        var sample = Sample()
        sample.inner = [inner, inner]
        #expect(try Sample(canonical: sample.canonicalBytes) == sample)
    }
}
