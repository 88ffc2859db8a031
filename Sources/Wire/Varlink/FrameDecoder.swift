private import Glibc

/// Cuts a stream of bytes into frames, each of which ends with a NUL.
///
/// It keeps what is not read yet: at most one frame that is not whole, and what was appended since.
public struct FrameDecoder: Sendable {
    /// A frame is longer than the limit.
    public struct FrameTooLong: Error, Sendable, Equatable {
        /// The limit, in bytes without the NUL.
        public var frameBytesMax: Int

        /// Names the limit.
        public init(frameBytesMax: Int) {
            self.frameBytesMax = frameBytesMax
        }
    }

    /// What an empty buffer may keep allocated, so that an idle connection after a large frame is small again.
    private static let idleBytesMax = 4_096

    /// How many bytes a frame may have, without its NUL.
    public let frameBytesMax: Int

    private var buffer: [UInt8] = []
    private var start = 0
    private var scanned = 0
    /// Where the next frame ends, once that is known.
    private var end: Int?

    /// Sets the largest frame, in bytes without its NUL.
    public init(frameBytesMax: Int = 1 << 20) {
        self.frameBytesMax = frameBytesMax
    }

    /// How many bytes wait to be read.
    public var bufferedBytes: Int { buffer.count - start }

    /// Takes bytes as they arrived.
    public mutating func append(_ bytes: RawSpan) {
        bytes.withUnsafeBytes { buffer.append(contentsOf: $0) }
    }

    /// How many bytes the next whole frame has, without its NUL; nil when there is none yet.
    ///
    /// - Throws: that the frame which comes next is too long, again each time: the stream can't be read on.
    public mutating func nextBytes() throws(FrameTooLong) -> Int? {
        if end == nil { end = endOfFrame() }
        let bytes = (end ?? buffer.count) - start
        guard bytes <= frameBytesMax else { throw FrameTooLong(frameBytesMax: frameBytesMax) }
        if end == nil { compact() }
        return end == nil ? nil : bytes
    }

    /// Lends the next whole frame, without its NUL, to a closure; nil when there is none yet.
    ///
    /// - Throws: as ``nextBytes()``.
    public mutating func next<Value>(_ read: (Span<UInt8>) -> Value) throws(FrameTooLong) -> Value? {
        guard try nextBytes() != nil, let end else { return nil }
        let value = read(buffer.span.extracting(start..<end))
        self.end = nil
        start = end + 1
        scanned = start
        if start == buffer.count { compact() }
        return value
    }

    /// Takes out the next whole frame, without its NUL; nil when there is none yet.
    ///
    /// - Throws: as ``nextBytes()``.
    public mutating func take() throws(FrameTooLong) -> [UInt8]? {
        try next { frame in frame.bytes.withUnsafeBytes { Array($0) } }
    }

    /// Forgets everything that is not read yet.
    public mutating func discard() {
        buffer = []
        start = 0
        scanned = 0
        end = nil
    }

    private mutating func endOfFrame() -> Int? {
        let (from, count) = (scanned, buffer.count - scanned)
        guard count > 0 else { return nil }
        let end: Int? = buffer.withUnsafeBytes { bytes in
            // memchr is several times faster than a loop over the span, which counts for large frames.
            guard let base = bytes.baseAddress, let found = memchr(base + from, 0, count) else { return nil }
            return UnsafeRawPointer(found) - base
        }
        if end == nil { scanned = buffer.count }
        return end
    }

    private mutating func compact() {
        guard start > 0 else { return }
        if start < buffer.count {
            buffer.removeFirst(start)
        } else if buffer.capacity > Self.idleBytesMax {
            buffer = []
        } else {
            buffer.removeAll(keepingCapacity: true)
        }
        scanned -= start
        start = 0
    }
}
