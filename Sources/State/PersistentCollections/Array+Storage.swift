extension Array {
    /// Whether both are the same stored array, or none: known without a look at the storage, which is in no cache where nobody changed it.
    @inlinable
    func hasSameStorage(as other: Self) -> Bool {
        withUnsafeBufferPointer { $0.baseAddress } == other.withUnsafeBufferPointer { $0.baseAddress }
    }

    /// Whether an element is stored with the same bytes as another one, which is the same then; those that are not may still be.
    @inlinable
    func isStoredAlike(_ index: Int, in other: Self, at place: Int) -> Bool {
        let size = MemoryLayout<Element>.size
        return withUnsafeBytes { bytes in
            other.withUnsafeBytes { others in
                let (start, otherStart) = (index * MemoryLayout<Element>.stride, place * MemoryLayout<Element>.stride)
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
