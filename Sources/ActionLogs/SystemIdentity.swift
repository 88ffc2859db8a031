internal import Glibc

/// What the machine says about itself.
public enum SystemIdentity {
    /// The machine's id, 32 hex digits; empty where there is none.
    public static let machineID = SmallFile.line("/etc/machine-id") ?? ""

    /// The time of day, in microseconds since 1970.
    @Sendable public static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
    }

    /// A new id: 32 random hex digits.
    static func randomID() -> String {
        var bytes = [UInt8](repeating: 0, count: 16)
        // Cannot fail for 256 bytes or fewer.
        getentropy(&bytes, bytes.count)
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
