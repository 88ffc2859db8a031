import Glibc
import Testing

@testable import todoctl

@Suite struct ProcessHandleTests {
    private func spawn(_ words: String...) throws -> pid_t {
        var pid: pid_t = 0
        var arguments = words.map { strdup($0) } + [nil]
        defer { for word in arguments { free(word) } }
        try #require(posix_spawnp(&pid, words[0], nil, nil, &arguments, nil) == 0)
        return pid
    }

    private func handle(_ pid: pid_t) throws -> ProcessHandle {
        guard let handle = try ProcessHandle(pid) else {
            Issue.record("there is no process \(pid)")
            throw Failure(.unreachable, "")
        }
        return handle
    }

    @Test func `a handle tells whether its process still runs, even before it is reaped`() throws {
        let pid = try spawn("sleep", "1000")
        let process = try handle(pid)
        let atFirst = process.hasEnded(within: 0)
        // No thread blocks signals for the processes that it starts.
        try process.send(SIGKILL)
        let signalled = process.hasEnded(within: 60_000)
        #expect(!atFirst && signalled)
        // Its pid is not reused yet, so a signal does no harm.
        try process.send(SIGKILL)
        var status: Int32 = 0
        #expect(waitpid(pid, &status, 0) == pid && status & 0x7f == SIGKILL)
        let reaped = process.hasEnded(within: 0)
        #expect(reaped)
        try process.send(SIGKILL)
    }

    @Test func `there is no handle of a missing process`() throws {
        let pid = try spawn("true")
        var status: Int32 = 0
        #expect(waitpid(pid, &status, 0) == pid)
        let process = try ProcessHandle(pid)
        let isThere = process != nil
        #expect(!isThere)
    }
}
