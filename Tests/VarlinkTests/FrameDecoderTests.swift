import Testing
import Varlink

struct FrameDecoderTests {
    private func append(_ text: String, to decoder: inout FrameDecoder) {
        let bytes = Array(text.utf8)
        decoder.append(bytes.span.bytes)
    }

    private func frames(_ decoder: inout FrameDecoder) throws -> [String] {
        var frames: [String] = []
        while let frame = try decoder.next({ text(of: $0) }) { frames.append(frame) }
        return frames
    }

    private func text(of frame: Span<UInt8>) -> String {
        var bytes: [UInt8] = []
        for index in frame.indices { bytes.append(frame[index]) }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func `frames are complete for any split of the bytes`() throws {
        let all = "first\0second\0\0fourth\0"
        for size in 1...all.utf8.count {
            var decoder = FrameDecoder()
            var found: [String] = []
            var rest = Substring(all)
            while !rest.isEmpty {
                append(String(rest.prefix(size)), to: &decoder)
                rest = rest.dropFirst(size)
                found += try frames(&decoder)
            }
            #expect(found == ["first", "second", "", "fourth"])
            #expect(decoder.bufferedBytes == 0)
        }
    }

    @Test func `an incomplete frame waits for the rest`() throws {
        var decoder = FrameDecoder()
        append("one\0tw", to: &decoder)
        #expect(try frames(&decoder) == ["one"])
        #expect(decoder.bufferedBytes == 2)
        append("o\0", to: &decoder)
        #expect(try frames(&decoder) == ["two"])
    }

    @Test func `the frame limit is exact`() throws {
        var decoder = FrameDecoder(frameBytesMax: 5)
        append("12345\0", to: &decoder)
        #expect(try frames(&decoder) == ["12345"])
        append("12345", to: &decoder)
        #expect(try frames(&decoder) == [])
        append("6", to: &decoder)
        #expect(throws: FrameDecoder.FrameTooLong(frameBytesMax: 5)) { try frames(&decoder) }
        append("\0", to: &decoder)
        #expect(throws: FrameDecoder.FrameTooLong(frameBytesMax: 5)) { try frames(&decoder) }
    }

    @Test func `discarded bytes are gone`() throws {
        var decoder = FrameDecoder()
        append("one\0tw", to: &decoder)
        decoder.discard()
        append("three\0", to: &decoder)
        #expect(try frames(&decoder) == ["three"])
    }
}
