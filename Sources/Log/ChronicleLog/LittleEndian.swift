extension [UInt8] {
    package mutating func append(littleEndian number: UInt64) {
        for shift in stride(from: 0, to: 64 as UInt64, by: 8) { append(UInt8(truncatingIfNeeded: number >> shift)) }
    }

    /// Appends a number in big-endian order, so that bytes sort like numbers.
    package mutating func append(bigEndian number: UInt64) {
        for shift in stride(from: 56 as Int64, through: 0, by: -8) { append(UInt8(truncatingIfNeeded: number >> UInt64(shift))) }
    }

    package mutating func append(bigEndian number: UInt32) {
        for shift in stride(from: 24 as Int32, through: 0, by: -8) { append(UInt8(truncatingIfNeeded: number >> UInt32(shift))) }
    }
}

extension RawSpan {
    package func littleEndian(at offset: Int) -> UInt64 {
        UInt64(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
}
