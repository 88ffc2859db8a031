import Glibc
import TestSupport
import Testing

@testable import ActionLogs

@Suite struct CopyTests {
    let directory = TemporaryDirectory()

    private func made(bytes: Int = 10) throws -> LMDBActionLog {
        let log = try LMDBActionLog.open(directory: directory.path + "/log", configuration: .small)
        for _ in 0..<8 { try log.append([[UInt8](repeating: 7, count: bytes / 8)]) }
        return log
    }

    private func mode(_ path: String) -> mode_t {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
    }

    @Test func `a copy is its owner's alone, also in a directory that everybody can read`() throws {
        let log = try made()
        let (new, open) = (directory.path + "/new/copy", directory.path + "/open")
        _ = try log.backUp(to: new)
        mkdir(open, 0o755)
        chmod(open, 0o755)
        _ = try log.backUp(to: open)
        #expect(mode(directory.path + "/new") == 0o700 && mode(new) == 0o700)
        for copy in [new, open] {
            #expect(try Set(Directory.names(copy)) == [".", "..", "data.mdb", "head"])
            for name in ["data.mdb", "head"] { #expect(mode("\(copy)/\(name)") == 0o600) }
            #expect(try LMDBActionLog.openReadOnly(directory: copy, configuration: .small).damage == nil)
        }
    }

    @Test(arguments: SmallFileSystem.kinds)
    func `a copy for which the disk has no room leaves nothing behind`(kind: SmallFileSystem.Kind) throws {
        let log = try made(bytes: 8 << 20)
        let disk = try #require(SmallFileSystem(kind))
        let before = try Directory.names(disk.path).sorted()
        #expect(throws: ActionLogError.self) { _ = try log.backUp(to: disk.path + "/backups/today") }
        #expect(try Directory.names(disk.path).sorted() == before)
        mkdir(disk.path + "/there", 0o700)
        do {
            _ = try log.backUp(to: disk.path + "/there")
            Issue.record("there is no room for it")
        } catch {
            guard case .storageFull(.disk, _) = error else { throw error }
        }
        #expect(try Directory.names(disk.path + "/there").count == 2)
        _ = try log.backUp(to: directory.path + "/whole")
        #expect(throws: ActionLogError.self) {
            _ = try LMDBActionLog.restore(from: directory.path + "/whole", to: disk.path + "/log")
        }
        #expect(try Directory.names(disk.path).sorted() == (before + ["there"]).sorted())
    }

    @Test func `a link in the place of an unfinished file is not followed`() throws {
        let victim = directory.path + "/victim"
        try OutputFile.write(([1, 2, 3] as [UInt8]).span.bytes, name: "victim", directory: directory.path)
        symlink(victim, directory.path + "/file.new")
        try OutputFile.write(([9] as [UInt8]).span.bytes, name: "file", directory: directory.path)
        #expect(SmallFile.bytes(victim) == [1, 2, 3] && SmallFile.bytes(directory.path + "/file") == [9])
    }

    @Test func `a copy of a log that ends at the last time there is begins its epoch, and goes on`() throws {
        let log = try made()
        var flush = Flush(after: log.head)
        flush.stage(RecordHeader(sequence: 9, time: .max), payload: [9])
        try log.append(flush)
        let copy = directory.path + "/copy"
        _ = try log.backUp(to: copy)
        let other = try LMDBActionLog.open(directory: copy, configuration: .small)
        #expect(other.head.sequence == 10 && other.head.time == .max)
        var next = Flush(after: other.head)
        next.stage(RecordHeader(sequence: 11, time: .max), payload: [11])
        try other.append(next)
        try other.checkEnds()
    }
}
