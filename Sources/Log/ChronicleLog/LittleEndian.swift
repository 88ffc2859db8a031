extension [UInt8] {
    /// Appends a number, its lowest byte first.
    package mutating func append(littleEndian number: UInt64) {
        for shift in stride(from: 0, to: 64 as UInt64, by: 8) { append(UInt8(truncatingIfNeeded: number >> shift)) }
    }

    /// Appends a number, its highest byte first, so that the order of the bytes is that of the numbers.
    package mutating func append(bigEndian number: UInt64) {
        for shift in stride(from: 56 as Int64, through: 0, by: -8) { append(UInt8(truncatingIfNeeded: number >> UInt64(shift))) }
    }

    /// Appends a number of 32 bits, its highest byte first.
    package mutating func append(bigEndian number: UInt32) {
        for shift in stride(from: 24 as Int32, through: 0, by: -8) { append(UInt8(truncatingIfNeeded: number >> UInt32(shift))) }
    }
}

extension RawSpan {
    /// The number at an offset, its lowest byte first.
    package func littleEndian(at offset: Int) -> UInt64 {
        UInt64(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
}
