import Foundation

/// The paths of the programs that were built with these tests.
enum Products {
    /// The directory of the test bundle and of the programs.
    static let directory: String = {
        let candidates =
            CommandLine.arguments.filter { $0.hasSuffix(".xctest") }
            + [(try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""]
        for candidate in candidates {
            let directory = URL(fileURLWithPath: candidate).deletingLastPathComponent().path
            if FileManager.default.isExecutableFile(atPath: directory + "/todod") { return directory }
        }
        return repository + "/.build/debug"
    }()

    /// The root of the repository.
    static let repository: String = {
        var url = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { url.deleteLastPathComponent() }
        return url.path
    }()

    static let todod = directory + "/todod"
    static let todoctl = directory + "/todoctl"
    static let todoweb = directory + "/todoweb"

    /// The path of a system program if it is installed.
    static func tool(_ name: String) -> String? {
        ["/usr/bin", "/bin", "/usr/sbin", "/sbin"].map { "\($0)/\(name)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }
}
