internal import ActionCoding

/// A cached state: may be thrown away at any time, because the log holds everything.
public struct Snapshot: Sendable, Equatable {
    /// What it is of.
    public var header: SnapshotHeader
    /// The file's bytes; the state is a part of them.
    let bytes: [UInt8]
    let stateRange: Range<Int>

    /// Lends the canonical bytes of the state.
    public func withState<Value>(_ body: (RawSpan) -> Value) -> Value {
        body(bytes.span.bytes.extracting(stateRange))
    }

    /// How many bytes the state has.
    public var stateByteCount: Int { stateRange.count }

    static let magic = Array("TODODSNP".utf8)
    static let format: UInt32 = 1
    // The magic, the format, the header's length and the state's.
    static let prefixBytes = 24

    /// A file's bytes before the state, and the checksum that ends it.
    static func frame(_ header: SnapshotHeader, state: RawSpan) -> [UInt8] {
        let headerBytes = header.canonicalBytes
        var frame = magic
        withUnsafeBytes(of: format.littleEndian) { frame.append(contentsOf: $0) }
        withUnsafeBytes(of: UInt32(headerBytes.count).littleEndian) { frame.append(contentsOf: $0) }
        withUnsafeBytes(of: UInt64(state.byteCount).littleEndian) { frame.append(contentsOf: $0) }
        let checksum = Checksum.of(state, seed: Checksum.of((frame + headerBytes).span.bytes))
        withUnsafeBytes(of: checksum.littleEndian) { frame.append(contentsOf: $0) }
        return frame + headerBytes
    }

    /// The snapshot in a file's bytes; `nil` unless they are exactly what was written, by a build that this one knows.
    init?(_ bytes: [UInt8]) {
        let span = bytes.span.bytes
        let headerStart = Self.prefixBytes + 8
        guard span.byteCount >= headerStart, Array(bytes[..<8]) == Self.magic else { return nil }
        let format = UInt32(littleEndian: span.unsafeLoadUnaligned(fromByteOffset: 8, as: UInt32.self))
        let headerLength = Int(UInt32(littleEndian: span.unsafeLoadUnaligned(fromByteOffset: 12, as: UInt32.self)))
        let stateLength = UInt64(littleEndian: span.unsafeLoadUnaligned(fromByteOffset: 16, as: UInt64.self))
        let stored = UInt64(littleEndian: span.unsafeLoadUnaligned(fromByteOffset: 24, as: UInt64.self))
        let stateStart = headerStart + headerLength
        guard format == Self.format, stateStart <= span.byteCount, stateLength == UInt64(span.byteCount - stateStart) else {
            return nil
        }
        let named = Array(bytes[..<Self.prefixBytes]) + bytes[headerStart..<stateStart]
        let state = span.extracting(stateStart..<span.byteCount)
        guard Checksum.of(state, seed: Checksum.of(named.span.bytes)) == stored else { return nil }
        guard let header = try? SnapshotHeader(canonical: span.extracting(headerStart..<stateStart)) else { return nil }
        self.header = header
        self.stateRange = stateStart..<span.byteCount
        self.bytes = bytes
    }
}
