internal import CMachine

/// What the machine says about itself.
public enum SystemIdentity {
    /// The machine's id, 32 hex digits; empty where there is none.
    public static let machineID = SmallFile.line("/etc/machine-id") ?? ""

    /// The time of day, in microseconds since 1970.
    @Sendable public static func now() -> Int64 { wall_microseconds() }
}
