import Glibc
import TestSupport
import Testing

@testable import ChronicleLog
@testable import DiskLog

@Suite(.serialized) struct FullStorageTests {
    @Test(arguments: [1, 8, 64]) func `a full map is refused by name, loses nothing, and works once enlarged`(batch: Int) throws {
        let directory = TemporaryDirectory()
        let payloads = [[UInt8]](repeating: [UInt8](repeating: 5, count: 900), count: batch)
        var acknowledged: UInt64 = 0
        do {
            let log = try LMDBActionLog.open(directory: directory.path, configuration: LogConfiguration(mapBytes: 512 << 10))
            let error = #expect(throws: ActionLogError.self) {
                while true {
                    try log.append(payloads)
                    acknowledged += UInt64(batch)
                }
            }
            #expect(error == .storageFull(.map, message: FreeSpace.mapMessage(mapBytes: 512 << 10)))
            // A batch that is larger than a sixteenth of the map can fail before that.
            if batch < 32 { #expect(log.headroom().refusal(freeBytesMin: 0) == error) }
            #expect(log.head.sequence == acknowledged)
            #expect(try log.records().count == Int(acknowledged))
            // The refusal remains as long as the map is full.
            #expect(throws: ActionLogError.self) { try log.append(payloads) }
        }
        #expect(acknowledged > 0)
        let log = try LMDBActionLog.open(directory: directory.path, configuration: LogConfiguration(mapBytes: 4 << 20))
        #expect(try log.records().count == Int(acknowledged))
        try log.append(payloads)
        #expect(log.headroom().refusal(freeBytesMin: 0) == nil)
    }

    @Test func `space runs out at a sixteenth of the map and at the configured free bytes of the disk`() {
        #expect(FreeSpace().refusal(freeBytesMin: .max) == nil)
        #expect(FreeSpace(diskFreeBytes: 10, mapFreeBytes: 16, mapBytes: 256).refusal(freeBytesMin: 10) == nil)
        let disk = FreeSpace(diskFreeBytes: 9, mapFreeBytes: 16, mapBytes: 256).refusal(freeBytesMin: 10)
        let map = FreeSpace(diskFreeBytes: 10, mapFreeBytes: 15, mapBytes: 256).refusal(freeBytesMin: 10)
        guard case .storageFull(.disk, _) = disk, case .storageFull(.map, _) = map else {
            Issue.record("\(String(describing: disk)) \(String(describing: map))")
            return
        }
    }

    @Test(
        .enabled(if: !SmallFileSystem.kinds.isEmpty, "mounting a small file system needs root"),
        arguments: SmallFileSystem.kinds, [1, 8, 64])
    func `a full disk is refused by name, loses nothing, and writing resumes when there is space`(
        kind: SmallFileSystem.Kind, batch: Int
    ) throws {
        let directory = try #require(SmallFileSystem(kind))
        let ballast = "\(directory.path)/ballast"
        try OutputFile.write([UInt8](repeating: 1, count: 300 << 10).span.bytes, name: "ballast", directory: directory.path)
        let payloads = [[UInt8]](repeating: [UInt8](repeating: 5, count: 900), count: batch)
        var acknowledged: UInt64 = 0
        do {
            let log = try LMDBActionLog.open(directory: directory.path, configuration: .small)
            let error = #expect(throws: ActionLogError.self) {
                while true {
                    try log.append(payloads)
                    acknowledged += UInt64(batch)
                }
            }
            #expect(error == .storageFull(.disk, message: "the disk is full, so the log can't grow: free some space"))
            #expect(acknowledged > 0)
            #expect(try log.records().count == Int(acknowledged))
            // A file beside the log that does not fit is refused the same way and is removed.
            let snapshot = Snapshot(
                sequence: 1, checksum: 1, epoch: 1, time: 1, fingerprint: "f", state: [UInt8](repeating: 1, count: 4 << 20))
            let refused = #expect(throws: ActionLogError.self) {
                try SnapshotStore(directory: directory.path).write(snapshot)
            }
            if case .storageFull(.disk, _) = refused {} else { Issue.record("\(String(describing: refused))") }
            #expect(try Directory.names(directory.path).allSatisfy { !$0.hasPrefix("snapshot") })
            unlink(ballast)
            try log.append(payloads)
            acknowledged += UInt64(batch)
        }
        let log = try LMDBActionLog.open(directory: directory.path, configuration: .small)
        #expect(try log.records().count == Int(acknowledged))
    }

    /// Other machines may know the batch by then, so it can no longer be refused.
    @Test(
        .enabled(if: !SmallFileSystem.kinds.isEmpty, "mounting a small file system needs root"),
        arguments: SmallFileSystem.kinds, [1, 8, 64])
    func `a commit without disk space fails before its confirmation is requested`(
        kind: SmallFileSystem.Kind, batch: Int
    ) throws {
        let directory = try #require(SmallFileSystem(kind))
        let log = try LMDBActionLog.open(directory: directory.path, configuration: .small)
        let payload = [UInt8](repeating: 5, count: 900)
        var (asked, committed) = (0, 0)
        let error = #expect(throws: ActionLogError.self) {
            while true {
                var flush = Flush(after: log.head)
                for _ in 0..<batch { flush.stage(.action(after: flush), payload: payload) }
                try log.append(flush) { () throws(ActionLogError) in asked += 1 }
                committed += 1
            }
        }
        guard case .storageFull(.disk, _)? = error else { throw try #require(error) }
        #expect(asked == committed && committed > 0)
        var place = ReplicaPlace(name: "todos", number: 1, batch: [1])
        place.redaction = 1
        let refused = #expect(throws: ActionLogError.self) {
            let payloads = (1...UInt64(batch)).map { (sequence: $0, payload: payload) }
            try log.redact(payloads, at: place) { () throws(ActionLogError) in asked += 1 }
        }
        #expect(refused == error && asked == committed)
    }

    @Test func `remote file systems are recognized by their type numbers`() throws {
        let directory = TemporaryDirectory()
        try LMDBActionLog.requireSafePlace(directory.path)
        #expect(throws: ActionLogError.self) { try LMDBActionLog.requireSafePlace("\(directory.path)/nowhere") }
    }
}
