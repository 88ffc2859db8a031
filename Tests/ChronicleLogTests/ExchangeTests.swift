import Glibc
import TestSupport
import Testing

@testable import ChronicleLog
@testable import DiskLog

@Suite struct ExchangeTests {
    let directory: TemporaryDirectory
    private var exchange: LogExchange { LogExchange(in: directory.path) }
    private var waiting: String { directory.path + "/exchange.new" }

    /// A log of nine records, and the log from record 6 on that is to replace it.
    private func prepared() throws {
        let log = try LMDBActionLog.open(directory: directory.path, configuration: .small)
        for sequence in 1...9 as ClosedRange<UInt8> { try log.append([[sequence]]) }
        try log.beginCompaction()
        let base = Base(sequence: 5, checksum: try log.checksum(of: 5) ?? 0, time: try log.sealed(5).header.time, archive: "a")
        let identity = try log.database.identity()
        let compactedCopy = try log.compactedCopy(after: base, state: RawState([1]), telling: CompactionSummary()) { _ in true }
        try compactedCopy.copyRows(of: log.tables.meta, from: log.environment) { key, _ in key != RowKey.identity }
        try compactedCopy.seal(identity)
        try exchange.prepare(directory.path + "/compacted.new")
    }

    @Test func `a compaction that is interrupted before the exchange of its data changes nothing`() throws {
        try prepared()
        let looked = try LMDBActionLog.openReadOnly(directory: directory.path, configuration: .small)
        #expect(looked.damage == nil && looked.base == nil && looked.head.sequence == 9)
        #expect(try Directory.names(waiting).contains("data.mdb"))
    }

    @Test func `the next start removes the files of a compaction that was interrupted before the exchange`() throws {
        try prepared()
        let log = try LMDBActionLog.open(directory: directory.path, configuration: .small)
        #expect(try log.base == nil && log.records().count == 9)
        #expect(try !Directory.names(directory.path).contains("exchange.new"))
    }

    @Test func `an exchange that was interrupted between its two files is finished by the next open`() throws {
        for isReader in [true, false] {
            let directory = TemporaryDirectory()
            let test = ExchangeTests(directory: directory)
            try test.prepared()
            try test.exchange.begin(0)
            let before = test.exchange.files
            #expect(before.isHalfway)
            if isReader {
                let looked = try LMDBActionLog.openReadOnly(directory: directory.path, configuration: .small)
                #expect(looked.damage == nil && looked.base?.sequence == 5 && looked.head.sequence == 9)
            } else {
                let log = try LMDBActionLog.open(directory: directory.path, configuration: .small)
                #expect(try log.records(from: 6).map(\.payload) == [[6], [7], [8], [9]])
                try log.append([[10]])
                try log.checkEnds()
            }
            let after = test.exchange.files
            #expect(after.data == before.data && after.readers != before.readers && !after.isHalfway)
            #expect(try !Directory.names(directory.path).contains("exchange.new"))
        }
    }

    @Test func `finishing an exchange twice is harmless`() throws {
        try prepared()
        try exchange.begin(0)
        try exchange.finish()
        try exchange.finish()
        #expect(!exchange.files.isHalfway)
    }

    private init(directory: TemporaryDirectory) { self.directory = directory }

    init() { self.init(directory: TemporaryDirectory()) }
}
