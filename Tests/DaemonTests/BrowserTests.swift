import Foundation
import ProcessTesting
import TestSupport
import Testing

/// The page in a browser: the checks of `Tests/Browser` that every test run can afford.
///
/// `make test-faces` runs all of them.
@Suite(.ownThreads) struct BrowserTests {
    static let chromium = Products.tool("chromium")
    static let isInstalled = {
        guard chromium != nil, ConformanceTests.isInstalled else { return false }
        let found = try? Command.run([ConformanceTests.python, "-c", "import playwright, axe_playwright_python"])
        return found?.end == .exit(0)
    }()

    @Test(
        .enabled(if: isInstalled, "chromium, or what drives it, is not installed: run make setup-test"),
        .disabled(if: Sanitizer.isOn, "the page is tested with timeouts for people"))
    func `the page works by clicks and keys, shows every moment, and rejects strangers`() throws {
        let (home, temporary) = (TemporaryDirectory(), TemporaryDirectory())
        let outcome = try Command.run(
            [
                ConformanceTests.python, Products.repository + "/Tests/Browser", "--small", "--todod", Products.todod,
                "--todoctl", Products.todoctl, "--todoweb", Products.todoweb, "--chromium", Self.chromium ?? "",
            ], environment: ["HOME": home.path, "TMPDIR": temporary.path], seconds: 600)
        #expect(outcome.end == .exit(0), "\(outcome)")
        #expect(outcome.text.contains("all held"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.path).isEmpty)
    }
}
