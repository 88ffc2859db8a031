import Glibc
import LMDB
import TestSupport
import Testing

@Suite struct RefusalTests {
    let directory = TemporaryDirectory()

    @Test func `a full map is refused by name, and its rows are kept`() throws {
        let environment = try Environment(directory: directory.path, options: EnvironmentOptions(mapBytes: 64 << 10))
        let table = try environment.write { (transaction) throws(LMDBError) in
            try transaction.table("rows", keys: .integers)
        }
        let block = [UInt8](repeating: 7, count: 3_000)
        var written: UInt64 = 0
        let error = #expect(throws: LMDBError.self) {
            while true {
                try environment.write { (transaction) throws(LMDBError) in
                    try transaction.append(written + 1, block.span.bytes, in: table)
                }
                written += 1
            }
        }
        #expect(error == .mapFull)
        #expect(written > 2)
        let count = try environment.read { (transaction) throws(LMDBError) in try transaction.count(table) }
        #expect(count == Int(written))
        #expect(!environment.isInPanic)
    }

    @Test func `a change that exceeds the map at its commit is dropped as a whole`() throws {
        // The commit needs pages for the list of freed ones. With many small rows it reaches the end of the map there.
        let environment = try Environment(directory: directory.path, options: EnvironmentOptions(mapBytes: 256 << 10))
        let table = try environment.write { (transaction) throws(LMDBError) in
            try transaction.table("rows", keys: .integers)
        }
        var committed: UInt64 = 0
        var errors: [LMDBError] = []
        for size in 1...64 {
            do {
                try environment.write { (transaction) throws(LMDBError) in
                    for key in committed + 1...committed + UInt64(size) {
                        try transaction.append(key, [UInt8](repeating: 1, count: 500).span.bytes, in: table)
                    }
                }
                committed += UInt64(size)
            } catch {
                errors.append(error)
            }
            let count = try environment.read { (transaction) throws(LMDBError) in try transaction.count(table) }
            #expect(count == Int(committed))
        }
        #expect(!errors.isEmpty)
        #expect(errors.allSatisfy { $0 == .mapFull })
    }

    @Test func `an error in the closure leaves everything unchanged, and the next change works`() throws {
        struct Stop: LMDBFailure, Equatable {
            init() {}
            init(_ error: LMDBError) {}
        }
        let environment = try Environment(directory: directory.path, options: EnvironmentOptions(mapBytes: 1 << 20))
        let table = try environment.write { (transaction) throws(LMDBError) in
            try transaction.table("rows", keys: .bytes)
        }
        #expect(throws: Stop()) {
            try environment.write { (transaction) throws(Stop) in
                do throws(LMDBError) {
                    try transaction.put([1].span.bytes, [2].span.bytes, in: table)
                } catch { throw Stop(error) }
                throw Stop()
            }
        }
        let before = try environment.read { (transaction) throws(LMDBError) in try transaction.count(table) }
        #expect(before == 0)
        try environment.write { (transaction) throws(LMDBError) in
            try transaction.put([1].span.bytes, [2].span.bytes, in: table)
        }
        let after = try environment.read { (transaction) throws(LMDBError) in try transaction.count(table) }
        #expect(after == 1)
    }

    @Test func `an existing row is not inserted again, and nothing is appended below the last key`() throws {
        let environment = try Environment(directory: directory.path, options: EnvironmentOptions(mapBytes: 1 << 20))
        let (names, numbers) = try environment.write { (transaction) throws(LMDBError) in
            (try transaction.table("names", keys: .bytes), try transaction.table("numbers", keys: .integers))
        }
        let name: [UInt8] = [1, 2, 3]
        try environment.write { (transaction) throws(LMDBError) in
            try transaction.insert(name.span.bytes, [1].span.bytes, in: names)
            try transaction.append(5, [1].span.bytes, in: numbers)
        }
        #expect(throws: LMDBError.keyExists) {
            try environment.write { (transaction) throws(LMDBError) in
                try transaction.insert(name.span.bytes, [2].span.bytes, in: names)
            }
        }
        #expect(throws: LMDBError.keyExists) {
            try environment.write { (transaction) throws(LMDBError) in
                try transaction.append(5, [2].span.bytes, in: numbers)
            }
        }
        let value = try environment.read { (transaction) throws(LMDBError) in
            try transaction.get(name.span.bytes, in: names) { (value) throws(LMDBError) in value.unsafeLoad(as: UInt8.self) }
        }
        #expect(value == 1)
    }

    @Test func `empty keys and keys of more than 511 bytes are refused`() throws {
        let environment = try Environment(directory: directory.path, options: EnvironmentOptions(mapBytes: 1 << 20))
        let table = try environment.write { (transaction) throws(LMDBError) in
            try transaction.table("rows", keys: .bytes)
        }
        for length in [0, 512] {
            #expect(throws: LMDBError.badSize) {
                try environment.write { (transaction) throws(LMDBError) in
                    let key = [UInt8](repeating: 1, count: length)
                    try transaction.put(key.span.bytes, [1].span.bytes, in: table)
                }
            }
        }
    }

    @Test func `a reader above the limit is refused by name`() throws {
        let environment = try Environment(
            directory: directory.path, options: EnvironmentOptions(mapBytes: 1 << 20, readersMax: 1))
        #expect(throws: LMDBError.readersFull) {
            try environment.read { (_) throws(LMDBError) in
                try environment.read { (_) throws(LMDBError) in }
            }
        }
    }

    @Test func `a file that is not LMDB's is damage`() throws {
        let file = open("\(directory.path)/data.mdb", O_CREAT | O_WRONLY, 0o600)
        let rubbish = [UInt8](repeating: 0x2A, count: 16_384)
        #expect(write(file, rubbish, rubbish.count) == rubbish.count)
        close(file)
        let error = #expect(throws: LMDBError.self) {
            _ = try Environment(directory: directory.path, options: EnvironmentOptions(mapBytes: 1 << 20))
        }
        guard case .corruption = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `a missing directory is an error of the system`() {
        #expect(throws: LMDBError.io(ENOENT)) {
            _ = try Environment(directory: "\(directory.path)/nowhere")
        }
    }

    @Test func `a map smaller than its used size is refused, and the default keeps the existing size`() throws {
        do {
            let environment = try Environment(directory: directory.path, options: EnvironmentOptions(mapBytes: 4 << 20))
            try environment.write { (transaction) throws(LMDBError) in
                let table = try transaction.table("rows", keys: .integers)
                try transaction.put(1, [UInt8](repeating: 1, count: 1 << 20).span.bytes, in: table)
            }
        }
        let error = #expect(throws: LMDBError.self) {
            _ = try Environment(directory: directory.path, options: EnvironmentOptions(mapBytes: 64 << 10))
        }
        guard case .mapTooSmall(let used, 65_536) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(used > 1 << 20)
        let environment = try Environment(directory: directory.path)
        #expect(environment.usage.mapBytes == EnvironmentOptions.mapBytesDefault)
    }

    @Test(arguments: [false, true]) func `a truncated file is damage and causes no crash`(isReadOnly: Bool) throws {
        do {
            let environment = try Environment(directory: directory.path, options: EnvironmentOptions(mapBytes: 4 << 20))
            try environment.write { (transaction) throws(LMDBError) in
                let table = try transaction.table("rows", keys: .integers)
                for key in 1...100 as ClosedRange<UInt64> {
                    try transaction.append(key, [UInt8](repeating: 1, count: 1_000).span.bytes, in: table)
                }
            }
        }
        #expect(truncate("\(directory.path)/data.mdb", 5 * 4_096) == 0)
        let environment = try Environment(
            directory: directory.path, options: EnvironmentOptions(mapBytes: 4 << 20, isReadOnly: isReadOnly))
        let error = #expect(throws: LMDBError.self) {
            try environment.read { (transaction) throws(LMDBError) in
                guard let table = try transaction.table("rows", keys: .integers) else { throw .corruption(0) }
                _ = try transaction.scan(table, from: 1) { _, _ in true }
            }
        }
        guard case .corruption = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }
}
