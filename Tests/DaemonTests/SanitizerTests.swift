import ProcessTesting
import TestSupport
import Testing

@Suite struct SanitizerTests {
    @Test(.enabled(if: Products.tool("grep") != nil, "grep is not installed"))
    func `the programs have the same sanitizer as the tests`() throws {
        let grep = try #require(Products.tool("grep"))
        for program in [Products.todod, Products.todoctl] {
            let outcome = try Command.run([grep, "-q", "-a", "-e", "__tsan_init", "-e", "__asan_init", program])
            #expect(outcome.end == .exit(Sanitizer.isOn ? 0 : 1), "\(program): \(outcome)")
        }
    }

    @Test(arguments: ["WARNING: ThreadSanitizer: data race (pid=7)", "==7==ERROR: AddressSanitizer: heap-use-after-free"])
    func `a report fails the test in which it was made`(report: String) {
        withKnownIssue { Sanitizer.expectNoReport(in: "todod: Serving\n\(report)\n") }
        Sanitizer.expectNoReport(in: "todod: Serving\n")
    }
}
