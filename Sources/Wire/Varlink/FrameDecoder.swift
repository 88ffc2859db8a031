private import Glibc

/// Splits a byte stream into frames that end with a NUL; buffers one incomplete frame and the bytes appended since the last read.
public struct FrameDecoder: Sendable {
    public struct FrameTooLong: Error, Sendable, Equatable {
        /// Maximum size in bytes, without the NUL.
        public var frameBytesMax: Int

        public init(frameBytesMax: Int) { self.frameBytesMax = frameBytesMax }
    }

    /// Capacity that an empty buffer may keep, so that an idle connection uses little memory after a large frame.
    private static let idleBytesMax = 4_096
    public let frameBytesMax: Int
    private var buffer: [UInt8] = []
    private var start = 0
    private var scanned = 0
    /// Position of the NUL of the next frame, if already found.
    private var end: Int?

    public init(frameBytesMax: Int = 1 << 20) { self.frameBytesMax = frameBytesMax }
    public var bufferedBytes: Int { buffer.count - start }
    public mutating func append(_ bytes: RawSpan) { bytes.withUnsafeBytes { buffer.append(contentsOf: $0) } }

    /// Returns the size of the next complete frame without its NUL; nil if none is complete.
    /// - Throws: `FrameTooLong`, on every call once a frame exceeds the limit; the stream can't be resynchronized.
    public mutating func nextBytes() throws(FrameTooLong) -> Int? {
        if end == nil { end = endOfFrame() }
        let bytes = (end ?? buffer.count) - start
        guard bytes <= frameBytesMax else { throw FrameTooLong(frameBytesMax: frameBytesMax) }
        if end == nil { compact() }
        return end == nil ? nil : bytes
    }

    /// Passes the next complete frame without its NUL to a closure; nil if none is complete.
    public mutating func next<Value>(_ read: (Span<UInt8>) -> Value) throws(FrameTooLong) -> Value? {
        guard try nextBytes() != nil, let end else { return nil }
        let value = read(buffer.span.extracting(start..<end))
        self.end = nil
        start = end + 1
        scanned = start
        if start == buffer.count { compact() }
        return value
    }

    /// Removes and returns the next complete frame without its NUL; nil if none is complete.
    public mutating func take() throws(FrameTooLong) -> [UInt8]? {
        try next { frame in frame.bytes.withUnsafeBytes { Array($0) } }
    }

    public mutating func discard() { (buffer, start, scanned, end) = ([], 0, 0, nil) }

    private mutating func endOfFrame() -> Int? {
        let (from, count) = (scanned, buffer.count - scanned)
        guard count > 0 else { return nil }
        let end: Int? = buffer.withUnsafeBytes { bytes in
            // memchr is several times faster than a loop over the span, which matters for large frames.
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
        } else {
            buffer.removeAll(keepingCapacity: buffer.capacity <= Self.idleBytesMax)
        }
        scanned -= start
        start = 0
    }
}
