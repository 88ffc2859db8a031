import Foundation
import ProcessTesting
import Testing

@Suite(.ownThreads) struct ConformanceTests {
    static let python = Products.repository + "/.build/venv/bin/python"
    static let isInstalled = FileManager.default.isExecutableFile(atPath: python)

    @Test(.enabled(if: isInstalled, "the PyPI client is not installed: run make setup-test"))
    func `an independent Varlink client works with the daemon`() throws {
        let daemon = try Daemon.started()
        let checks = Products.repository + "/Tests/DaemonTests/python/conformance.py"
        let outcome = try Command.run(
            [Self.python, checks, daemon.socket, Products.todoctl, Products.repository + "/Sources/Wire/TodoAPI/Interfaces"])
        #expect(outcome.end == .exit(0), "\(outcome)")
        #expect(outcome.text.contains("all passed"))
    }
}
