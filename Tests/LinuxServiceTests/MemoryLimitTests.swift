import Foundation
import TestSupport
import Testing

@testable import LinuxService

@Suite struct MemoryLimitTests {
    @Test(
        arguments: [
            ([:], "", 1_000), ([:], "/a/b", 1_000), (["": "900"], "/a/b", 900), (["a/b": "700"], "/a/b", 700),
            (["a": "500", "a/b": "700"], "/a/b", 500), (["a": "max", "a/b": "5000"], "/a/b", 1_000), (["c": "1"], "/a/b", 1_000),
        ] as [([String: String], String, Int)])
    func `the smallest limit of a control group and its ancestors applies, but not more than the machine has`(
        limits: [String: String], group: String, bytes: Int
    ) throws {
        let root = TemporaryDirectory()
        for (group, limit) in limits {
            let directory = root.path + "/" + group
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            try Data((limit + "\n").utf8).write(to: URL(filePath: directory + "/memory.max"))
        }
        #expect(MemoryLimit.bytes(ofGroup: group[...], in: root.path, machineBytes: 1_000) == bytes)
    }

    @Test func `this process may use some memory`() {
        #expect(MemoryLimit.current > 1 << 20)
    }
}
