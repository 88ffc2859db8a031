internal import Glibc

/// The clock that no one sets: the time since the machine was started, and which start that was.
public struct BootClock: Sendable, Equatable {
    /// Names the start of the machine; empty where the system does not say.
    public var bootID: String
    /// The time since then, in microseconds, asleep or not.
    public var microseconds: Int64

    /// Makes a reading.
    public init(bootID: String, microseconds: Int64) {
        self.bootID = bootID
        self.microseconds = microseconds
    }

    /// The clock now.
    ///
    /// A sandbox may hide the boot id; whoever starts the process can hand it over then.
    public static func now(bootID: String = systemBootID) -> BootClock {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return BootClock(bootID: bootID, microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)
    }

    /// The boot id as the kernel has it, read once.
    public static let systemBootID = SmallFile.line("/proc/sys/kernel/random/boot_id") ?? ""
}
