import Glibc

/// The memory that a process may use.
package enum MemoryLimit {
    /// Bytes that this process may use.
    package static var current: Int {
        bytes(
            ofGroup: text("/proc/self/cgroup").split(separator: "\n").last { $0.hasPrefix("0::") }?.dropFirst(3) ?? "",
            machineBytes: sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE)))
    }

    /// The smallest limit of a control group (cgroup v2) and its ancestors, at most the memory of the machine.
    package static func bytes(ofGroup group: Substring, in root: String = "/sys/fs/cgroup", machineBytes: Int) -> Int {
        var (path, bytes) = (root, machineBytes)
        for part in [""] + group.split(separator: "/").map(String.init) {
            path += "/" + part
            // A group without a limit contains "max".
            bytes = min(bytes, text(path + "/memory.max").split(separator: "\n").first.flatMap { Int($0) } ?? bytes)
        }
        return bytes
    }

    private static func text(_ path: String) -> String {
        guard let file = fopen(path, "re") else { return "" }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = fread(&bytes, 1, 4_096, file)
        return String(decoding: bytes[..<count], as: UTF8.self)
    }
}
