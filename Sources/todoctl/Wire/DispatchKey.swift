/// Makes keys that no dispatch ever had.
enum DispatchKey {
    /// 32 hex digits: the time in microseconds, then 8 random bytes.
    ///
    /// The time comes first so that the daemon's table of keys grows at its end.
    static func make(time: Int64 = Clock.now(), random: UInt64 = .random(in: 0 ... .max)) -> String {
        hex(UInt64(bitPattern: time)) + hex(random)
    }

    private static func hex(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}
