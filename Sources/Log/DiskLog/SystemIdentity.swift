internal import CMachine

public enum SystemIdentity {
    /// The machine's id, 32 hex digits; empty if missing.
    public static let machineID = SmallFile.line("/etc/machine-id") ?? ""

    /// The time of day, in microseconds since 1970.
    @Sendable public static func now() -> Int64 { wall_microseconds() }
}
