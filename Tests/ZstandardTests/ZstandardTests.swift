import TestSupport
import Testing
import Zstandard

@Suite struct ZstandardTests {
    private func compressed(_ pieces: [[UInt8]]) -> [UInt8] {
        var compressor = Compressor()
        return pieces.flatMap { compressor.compress($0) } + compressor.finish()
    }

    /// The output for input in chunks of a size, and whether the input was complete.
    private func decompressed(_ bytes: [UInt8], by size: Int) throws(DecompressionError) -> (bytes: [UInt8], isComplete: Bool) {
        var decompressor = Decompressor()
        var result: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            decompressor.add(Array(bytes[start..<min(start + size, bytes.count)]))
            while true {
                let next = try decompressor.next()
                if next.isEmpty { break }
                result += next
            }
        }
        return (result, decompressor.isComplete)
    }

    @Test(arguments: [1, 7, 4_096, 1 << 20])
    func `chunks that were compressed are decompressed in chunks`(size: Int) throws {
        var generator = SeededGenerator(7)
        let noise = (0..<300_000).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        for pieces in [[], [[1]], [Array("All that is to be done. ".utf8), [], noise], Array(repeating: [9, 9], count: 1_000)] {
            let back = try decompressed(compressed(pieces), by: size)
            #expect(back.bytes == pieces.flatMap { $0 } && back.isComplete)
        }
    }

    @Test func `repetitive data is compressed well and decompressed in bounded chunks`() throws {
        let bytes = compressed([[UInt8](repeating: 7, count: 64 << 20)])
        #expect(bytes.count < 64 << 10)
        var decompressor = Decompressor()
        decompressor.add(bytes)
        var count = 0
        while true {
            let next = try decompressor.next()
            if next.isEmpty { break }
            #expect(next.count <= Decompressor.pieceBytes)
            count += next.count
        }
        #expect(count == 64 << 20)
    }

    @Test func `a truncated frame is incomplete, and a changed one is refused or has the same contents`() throws {
        let text = Array("Buy milk. Call the bank. Buy milk again.".utf8)
        let whole = compressed([text])
        #expect(whole.starts(with: Decompressor.magic))
        for end in 1..<whole.count {
            #expect(try decompressed(Array(whole[..<end]), by: end).isComplete == false)
        }
        for index in whole.indices {
            for bit in 0..<8 {
                var changed = whole
                changed[index] ^= 1 << bit
                guard let back = try? decompressed(changed, by: changed.count), back.isComplete else { continue }
                #expect(back.bytes == text)
            }
        }
    }
}
