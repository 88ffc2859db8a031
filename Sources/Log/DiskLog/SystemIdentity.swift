internal import CMachine
public import Records

/// What the machine says about itself.
public enum SystemIdentity {
    /// The machine's id, 32 hex digits; empty where there is none.
    public static let machineID = SmallFile.line("/etc/machine-id") ?? ""

    /// The boot id as the kernel has it, read once; empty where the system does not say.
    ///
    /// A sandbox may hide it; whoever starts the process can hand it over then.
    public static let bootID = SmallFile.line("/proc/sys/kernel/random/boot_id") ?? ""

    /// The time of day, in microseconds since 1970.
    @Sendable public static func now() -> Int64 { wall_microseconds() }

    /// The boot clock now.
    public static func bootClock(_ bootID: String = bootID) -> BootClock {
        BootClock(bootID: bootID, microseconds: boot_microseconds())
    }
}
