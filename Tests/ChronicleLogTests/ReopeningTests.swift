import ChronicleValues
import Glibc
import TestSupport
import Testing

@testable import ChronicleLog
@testable import DiskLog

@Suite struct ReopeningTests {
    let directory = TemporaryDirectory()

    func opened(_ configuration: LogConfiguration = .small) throws -> LMDBActionLog {
        try LMDBActionLog.open(directory: directory.path, configuration: configuration)
    }

    @Test func `records, keys and open commands are there after a restart`() throws {
        let head: Head
        let row = OutboxRow(
            id: CommandID(sequence: 2, index: 1), call: CommandCall(name: "load", arguments: [4]), stage: .started, attempts: 2,
            due: 5, reason: "slow")
        do {
            let log = try opened()
            try log.append([[1]])
            var flush = Flush(after: log.head)
            flush.stage(.action(after: flush, key: "k"), payload: [2])
            try flush.stage(KeyRow(first: 2, last: 2, ids: [9], digest: 3), key: "k", of: 1)
            flush.add(row)
            try log.append(flush)
            head = log.head
        }
        let log = try opened()
        #expect(log.head == head)
        #expect(try log.records().map(\.payload) == [[1], [2]])
        #expect(try log.key("k", of: 1)?.ids == [9])
        #expect(try log.outbox() == [row])
        try log.append([[3]])
        #expect(try log.records().map(\.header.sequence) == [1, 2, 3])
    }

    @Test func `ten restarts add no record`() throws {
        do { try opened().append([[1]]) }
        for _ in 0..<10 { _ = try opened() }
        #expect(try opened().head.sequence == 1)
    }

    @Test func `opening a log twice is refused with the pid of the process that has it open`() throws {
        let log = try opened()
        #expect(throws: ActionLogError.locked(pid: getpid())) { _ = try opened() }
        #expect(log.head.sequence == 0)
    }

    @Test func `committed data survives a kill, and the lock is free`() async throws {
        let path = directory.path
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            let log = try LMDBActionLog.open(directory: path, configuration: .small)
            try log.append([[1], [2]])
            try log.append([[3]])
            var flush = Flush(after: log.head)
            flush.stage(.action(after: flush), payload: [4])
            kill(getpid(), SIGKILL)
        }
        let log = try opened()
        #expect(try log.records().map(\.payload) == [[1], [2], [3]])
        try log.append([[4]])
        #expect(log.head.sequence == 4)
    }

    @Test func `a copied log begins a new epoch, and its open commands are held`() throws {
        let copy = TemporaryDirectory()
        let original: Head
        do {
            let log = try opened()
            var flush = Flush(after: log.head)
            flush.stage(.action(after: flush), payload: [1])
            flush.add(OutboxRow(id: CommandID(sequence: 1, index: 0), call: CommandCall(name: "c")))
            try log.append(flush)
            try log.anchor()
            original = log.head
        }
        #expect(system("cp -a \(directory.path)/. \(copy.path)/") == 0)
        let log = try LMDBActionLog.open(directory: copy.path, configuration: .small)
        #expect(log.head.sequence == 2)
        #expect(log.head.epoch > original.epoch)
        #expect(log.head.storeID == original.storeID)
        #expect(try log.outbox().map(\.isHeld) == [true])
        let record = try #require(try log.records(from: 2).first)
        #expect(record.header.kind == .epoch)
        let change = try EpochChange(canonical: record.payload)
        #expect(change == EpochChange(epoch: log.head.epoch, previous: original.epoch, heldThrough: 1))
        #expect(try opened().head == original)
    }

    @Test func `a copy that was opened once begins no further epoch`() throws {
        let copy = TemporaryDirectory()
        do { try opened().append([[1]]) }
        #expect(system("cp -a \(directory.path)/. \(copy.path)/") == 0)
        let epoch: UInt64
        do { epoch = try LMDBActionLog.open(directory: copy.path, configuration: .small).head.epoch }
        let log = try LMDBActionLog.open(directory: copy.path, configuration: .small)
        #expect(log.head.epoch == epoch)
        #expect(log.head.sequence == 2)
    }

    @Test func `a log from another machine begins a new epoch, one from an unknown machine does not`() throws {
        var configuration = LogConfiguration.small
        configuration.machineID = "first"
        do { try opened(configuration).append([[1]]) }
        configuration.machineID = ""
        #expect(try opened(configuration).head.sequence == 1)
        configuration.machineID = "second"
        #expect(try opened(configuration).head.sequence == 2)
    }

    @Test func `the record of a new epoch has a later time than the last record, even if the clock lags`() throws {
        var configuration = LogConfiguration.small
        configuration.machineID = "first"
        do { try opened(configuration).append([[1]]) }
        configuration.machineID = "second"
        configuration.now = { 7 }
        let record = try #require(try opened(configuration).records(from: 2).first)
        #expect(record.header.time == 1_000_001)
        #expect(record.header.rawTime == 7)
    }

    @Test func `a map smaller than its used size is refused by name`() throws {
        do { try opened().append([[UInt8]](repeating: [UInt8](repeating: 1, count: 10_000), count: 20)) }
        let error = #expect(throws: ActionLogError.self) { _ = try opened(LogConfiguration(mapBytes: 65_536)) }
        if case .mapTooSmall(let used, let map) = error {
            #expect(used > 200_000)
            #expect(map == 65_536)
        } else {
            Issue.record("\(String(describing: error))")
        }
        #expect(try opened(LogConfiguration()).head.sequence == 20)
    }

    @Test func `a newer format is refused by name`() throws {
        do {
            let log = try opened()
            let identity = LogIdentity(format: 3, storeID: log.head.storeID, machineID: "", inode: 0, created: 0)
            let key = RowKey.identity
            try log.setRowValue(Row.sealed(identity, key: key), of: key, in: .meta)
        }
        #expect(throws: ActionLogError.newerFormat(sequence: 0, what: "the log's format is 3")) { _ = try opened() }
    }

    @Test func `a record of a newer format and a record with an unknown field are refused by name`() throws {
        let log = try opened()
        try log.append([[1]])
        let whole = try log.recordValue(1)
        var newer = whole
        newer[newer.count - 32 + 4] = 3
        try log.setRecordValue(resealed(newer), of: 1)
        #expect(throws: ActionLogError.newerFormat(sequence: 1, what: "the record's format is 3")) { try log.records() }
        // A field 31 after the others, and a header length increased by one byte.
        var unknown = whole
        unknown.insert(contentsOf: [31 << 2, 1], at: unknown.count - 32)
        unknown[unknown.count - 32 + 5] += 2
        try log.setRecordValue(resealed(unknown), of: 1)
        #expect(throws: ActionLogError.newerFormat(sequence: 1, what: "the header has a field 31")) { try log.records() }
        #expect(throws: ActionLogError.newerFormat(sequence: 1, what: "the header has a field 31")) {
            try log.fold(from: 1, through: 1) { _, _ in true }
        }
    }

    /// A record's value with a correct checksum.
    ///
    /// The payload has one byte.
    func resealed(_ value: [UInt8]) -> [UInt8] {
        var sealed = Array(value.dropLast(8))
        let covered = Array(sealed[1...])
        sealed.append(littleEndian: Checksum.of(covered.span.bytes))
        return sealed
    }

    @Test func `only the owner has access to the directory and its files`() throws {
        let path = "\(directory.path)/deep/er"
        let log = try LMDBActionLog.open(directory: path, configuration: .small)
        try log.anchor()
        for (name, mode) in [("", 0o700), ("/data.mdb", 0o600), ("/lock", 0o600), ("/head", 0o600)] as [(String, UInt32)] {
            var status = stat()
            #expect(stat(path + name, &status) == 0)
            #expect(status.st_mode & 0o777 == mode, "\(name)")
        }
    }

    @Test func `a directory without read permission is refused by name`() throws {
        let path = "\(directory.path)/file"
        try OutputFile.write([1].span.bytes, name: "file", directory: directory.path)
        let error = #expect(throws: ActionLogError.self) { _ = try LMDBActionLog.open(directory: path) }
        #expect(error == .io(what: "opening \(path)", errno: ENOTDIR))
    }
}
