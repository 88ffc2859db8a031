import Dispatch
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import ChronicleLog
@testable import DiskLog

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

    @Test func `only the owner can read a copy, even in a directory that is readable for all other users`() throws {
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

    @Test func `one of several concurrent copies into a directory succeeds, and no other removes it`() throws {
        let log = try made()
        let copy = directory.path + "/copy"
        mkdir(copy, 0o700)
        let whole = Atomic(0)
        let broken = Atomic(0)
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            while whole.load(ordering: .relaxed) < 40, broken.load(ordering: .relaxed) == 0 {
                do throws(ActionLogError) {
                    _ = try log.backUp(to: copy)
                    let looked = try LMDBActionLog.openReadOnly(directory: copy, configuration: .small)
                    if looked.damage == nil { whole.add(1, ordering: .relaxed) } else { broken.add(1, ordering: .relaxed) }
                    // The next copy may begin. All others wait for that.
                    for name in ["lock.mdb", "head", "data.mdb"] { unlink("\(copy)/\(name)") }
                } catch {
                    guard error != .notPermitted(what: "\(copy) is not empty") else { continue }
                    broken.add(1, ordering: .relaxed)
                    Issue.record(error)
                }
            }
        }
        #expect(broken.load(ordering: .relaxed) == 0)
    }

    @Test(arguments: ["lock", "lock.mdb"])
    func `a symbolic link in place of a file that every start writes is refused`(name: String) throws {
        let victim = directory.path + "/victim"
        try OutputFile.write(([1, 2, 3] as [UInt8]).span.bytes, name: "victim", directory: directory.path)
        mkdir(directory.path + "/log", 0o700)
        symlink(victim, "\(directory.path)/log/\(name)")
        #expect(throws: ActionLogError.self) { _ = try made() }
        #expect(SmallFile.bytes(victim) == [1, 2, 3])
    }

    @Test func `a copy of a shared log's local copy continues as a copy with another id`() throws {
        var place = ReplicaPlace(name: "todos", number: 3, batch: [1])
        place.copyID = 7
        let head: Head
        do {
            let log = try made()
            try log.become(place, storeID: log.head.storeID, epoch: log.head.epoch)
            head = try log.backUp(to: directory.path + "/copy")
        }
        #expect(try LMDBActionLog.open(directory: directory.path + "/log", configuration: .small).place == place)
        place.copyID = 0
        for _ in 0..<2 {
            let other = try LMDBActionLog.open(directory: directory.path + "/copy", configuration: .small)
            #expect(other.place == place && other.head == head)
        }
    }

    /// A copy that is interrupted can't continue under the id of the original.
    @Test(arguments: ["todos", "others", nil] as [String?])
    func `a backup of a shared log's local copy is restored as a copy of that log or as an independent log`(
        name: String?
    ) throws {
        var place = ReplicaPlace(name: "todos", number: 3, batch: [1])
        place.copyID = 7
        do {
            let log = try made()
            try log.become(place, storeID: log.head.storeID, epoch: log.head.epoch)
            _ = try log.backUp(to: directory.path + "/backup")
        }
        let new = directory.path + "/new"
        let head = try LMDBActionLog.restore(from: directory.path + "/backup", to: new, asCopyOf: name)
        place.copyID = 0
        #expect(try LMDBActionLog.openBeside(directory: new).place?.name == (name == "todos" ? "todos" : nil))
        let log = try LMDBActionLog.open(directory: new, configuration: .small)
        #expect(log.place == (name == "todos" ? place : nil))
        #expect((log.head.epoch == head.epoch) == (name == "todos"))
    }

    @Test func `a pipe in place of a backup's data is not a log, and opening it does not block`() throws {
        let backup = directory.path + "/backup"
        mkdir(backup, 0o700)
        #expect(mkfifo(backup + "/data.mdb", 0o600) == 0)
        #expect(throws: ActionLogError.self) { _ = try LMDBActionLog.restore(from: backup, to: directory.path + "/log") }
    }

    @Test func `removing a symbolic link to a directory removes only the link`() throws {
        let other = directory.path + "/other"
        mkdir(other, 0o700)
        try OutputFile.write(([1] as [UInt8]).span.bytes, name: "file", directory: other)
        symlink(other, directory.path + "/compacted.new")
        Directory.remove(directory.path + "/compacted.new")
        #expect(SmallFile.bytes(other + "/file") == [1] && !Directory.isLink(directory.path + "/compacted.new"))
    }

    @Test(arguments: SmallFileSystem.kinds)
    func `a copy that runs out of disk space leaves no files`(kind: SmallFileSystem.Kind) throws {
        let log = try made(bytes: 8 << 20)
        let disk = try #require(SmallFileSystem(kind))
        let before = try Directory.names(disk.path).sorted()
        #expect(throws: ActionLogError.self) { _ = try log.backUp(to: disk.path + "/backups/today") }
        #expect(try Directory.names(disk.path).sorted() == before)
        mkdir(disk.path + "/there", 0o700)
        do {
            _ = try log.backUp(to: disk.path + "/there")
            Issue.record("the copy fits")
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

    @Test func `a symbolic link in place of an unfinished file is not followed`() throws {
        let victim = directory.path + "/victim"
        try OutputFile.write(([1, 2, 3] as [UInt8]).span.bytes, name: "victim", directory: directory.path)
        symlink(victim, directory.path + "/file.new")
        try OutputFile.write(([9] as [UInt8]).span.bytes, name: "file", directory: directory.path)
        #expect(SmallFile.bytes(victim) == [1, 2, 3] && SmallFile.bytes(directory.path + "/file") == [9])
    }

    @Test func `a copy of a log that ends at the maximum time begins its epoch and continues`() throws {
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
