extension Array {
    /// Whether both arrays share their storage; avoids cache misses on unchanged storage.
    @inlinable func hasSameStorage(as other: Self) -> Bool {
        withUnsafeBufferPointer { $0.baseAddress } == other.withUnsafeBufferPointer { $0.baseAddress }
    }

    /// Whether two elements are bitwise equal and therefore equal; elements that are not may still be equal.
    @inlinable func isBitwiseEqual(_ index: Int, in other: Self, at otherIndex: Int) -> Bool {
        let size = MemoryLayout<Element>.size
        return withUnsafeBytes { bytes in
            other.withUnsafeBytes { others in
                let (start, otherStart) = (index * MemoryLayout<Element>.stride, otherIndex * MemoryLayout<Element>.stride)
                var offset = 0
                while offset + 8 <= size {
                    let word = bytes.loadUnaligned(fromByteOffset: start + offset, as: UInt64.self)
                    guard word == others.loadUnaligned(fromByteOffset: otherStart + offset, as: UInt64.self) else { return false }
                    offset += 8
                }
                while offset < size {
                    guard bytes[start + offset] == others[otherStart + offset] else { return false }
                    offset += 1
                }
                return true
            }
        }
    }
}
