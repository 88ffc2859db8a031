import Foundation

extension Daemon {
    /// A line of /proc/PID/status in megabytes of 10^6: `VmRSS` or `RssAnon`.
    func memory(_ name: String) throws(BenchmarkError) -> Double { try ProcessMemory.megabytes(of: process, name) }

    /// Processor time so far, in seconds.
    func processorTime() -> Double {
        let text = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
        // The program's name may hold spaces; the fields after its bracket may not.
        let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else { return .nan }
        return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }
}

/// What a process takes.
enum ProcessMemory {
    /// A line of /proc/PID/status in megabytes of 10^6.
    static func megabytes(of process: Int32, _ name: String) throws(BenchmarkError) -> Double {
        let text = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
        for line in text.split(separator: "\n") where line.hasPrefix("\(name):") {
            let fields = line.split(whereSeparator: \.isWhitespace)
            if fields.count >= 2, let kibibytes = Double(fields[1]) { return kibibytes * 1024 / 1e6 }
        }
        throw BenchmarkError("/proc/\(process)/status has no \(name)")
    }
}
