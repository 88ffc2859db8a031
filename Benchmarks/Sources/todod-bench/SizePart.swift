import Foundation

/// How large the programs are: as they are built, and as they are installed, without what only a debugger reads.
struct SizePart {
    let setup: Setup

    func run() throws(BenchmarkError) -> Findings {
        var findings = Findings()
        try measure("todod", setup.todod, megabytesMax: 40, &findings)
        // Of these are 5 Swift's own library, 3.3 what the reader of arguments brings of Foundation, 0.9 the screen.
        try measure("todoctl", setup.todoctl, megabytesMax: 22, &findings)
        try measure("todoweb", setup.todoweb, megabytesMax: 20, &findings)
        return findings
    }

    private func measure(
        _ name: String, _ program: String, megabytesMax: Double, _ findings: inout Findings
    ) throws(BenchmarkError) {
        let stripped = setup.folder.sockets.appending(path: "\(name).stripped")
        let output = setup.folder.sockets.appending(path: "strip.out")
        _ = try Program(["/usr/bin/strip", "-o", stripped.path, program], socket: "", output: output).time()
        defer { setup.folder.remove(stripped) }
        let installed = try Self.megabytes(of: stripped.path)
        findings.add("\(name), as built", try Self.megabytes(of: program), "MB")
        findings.add("\(name), as installed", installed, "MB")
        findings.add("\(name), as installed, MB", installed, .atMost(megabytesMax))
    }

    private static func megabytes(of path: String) throws(BenchmarkError) -> Double {
        var status = stat()
        guard stat(path, &status) == 0 else { throw BenchmarkError("\(path): \(String(cString: strerror(errno)))") }
        return Double(status.st_size) / 1e6
    }
}
