import Glibc
import LMDB
import TestSupport
import Testing

@Suite struct EnvironmentTests {
    let directory = TemporaryDirectory()

    func opened() throws -> Environment {
        try Environment(directory: directory.path, options: EnvironmentOptions(mapBytes: 4 << 20))
    }

    @Test func `rows with integer keys are read in numerical order, from any key on`() throws {
        let environment = try opened()
        let table = try environment.write { (transaction) throws(LMDBError) in
            let table = try transaction.table("rows", keys: .integers)
            for key in [300, 2, 1, 70_000] as [UInt64] {
                try transaction.put(key, [UInt8(truncatingIfNeeded: key)].span.bytes, in: table)
            }
            return table
        }
        var seen: [UInt64] = []
        try environment.read { (transaction) throws(LMDBError) in
            _ = try transaction.scan(table, from: 2) { key, value in
                #expect(value.unsafeLoad(as: UInt8.self) == UInt8(truncatingIfNeeded: key))
                seen.append(key)
                return true
            }
        }
        #expect(seen == [2, 300, 70_000])
    }

    @Test func `a scan ends when its closure returns false`() throws {
        let environment = try opened()
        let table = try environment.write { (transaction) throws(LMDBError) in
            let table = try transaction.table("rows", keys: .integers)
            for key in 1...10 as ClosedRange<UInt64> { try transaction.append(key, [1].span.bytes, in: table) }
            return table
        }
        var seen: [UInt64] = []
        try environment.read { (transaction) throws(LMDBError) in
            _ = try transaction.scan(table, from: 1) { key, _ in
                seen.append(key)
                return key < 3
            }
        }
        #expect(seen == [1, 2, 3])
    }

    @Test func `a cursor moves to both ends, in both directions, and to a key`() throws {
        let environment = try opened()
        let table = try environment.write { (transaction) throws(LMDBError) in
            let table = try transaction.table("rows", keys: .bytes)
            for key in [1, 3, 5] as [UInt8] { try transaction.put([key].span.bytes, [key].span.bytes, in: table) }
            return table
        }
        let moves = try environment.read { (transaction) throws(LMDBError) in
            try transaction.withCursor(table) { (cursor) throws(LMDBError) in
                let key: (RawSpan, RawSpan) -> UInt8 = { key, _ in key.unsafeLoad(as: UInt8.self) }
                return [
                    try cursor.first(key), try cursor.next(key), try cursor.last(key), try cursor.previous(key),
                    try cursor.seek([4].span.bytes, key), try cursor.next(key), try cursor.seek([6].span.bytes, key),
                ]
            }
        }
        #expect(moves == [1, 3, 5, 3, 5, nil, nil])
    }

    @Test func `a reader sees the state at its begin, even while a change is committed`() throws {
        let environment = try opened()
        let table = try environment.write { (transaction) throws(LMDBError) in
            try transaction.table("rows", keys: .integers)
        }
        let counts = try environment.read { (transaction) throws(LMDBError) in
            try environment.write { (transaction) throws(LMDBError) in
                try transaction.append(1, [1].span.bytes, in: table)
            }
            return try transaction.count(table)
        }
        #expect(counts == 0)
        let after = try environment.read { (transaction) throws(LMDBError) in try transaction.count(table) }
        #expect(after == 1)
    }

    @Test func `a deleted row is gone, and deleting it again says so`() throws {
        let environment = try opened()
        let (first, second) = try environment.write { (transaction) throws(LMDBError) in
            let table = try transaction.table("rows", keys: .integers)
            try transaction.put(9, [1].span.bytes, in: table)
            return (try transaction.delete(9, in: table), try transaction.delete(9, in: table))
        }
        #expect(first)
        #expect(!second)
    }

    @Test func `a missing table is nil`() throws {
        let environment = try opened()
        let table = try environment.read { (transaction) throws(LMDBError) in
            try transaction.table("rows", keys: .bytes)
        }
        #expect(table == nil)
    }

    @Test func `a table that was opened in a read transaction stays open after it`() throws {
        do {
            let environment = try opened()
            try environment.write { (transaction) throws(LMDBError) in
                let table = try transaction.table("rows", keys: .integers)
                try transaction.append(1, [1].span.bytes, in: table)
            }
        }
        let environment = try opened()
        let table = try environment.read { (transaction) throws(LMDBError) in
            try transaction.table("rows", keys: .integers)
        }
        let rows = try #require(table)
        let count = try environment.read { (transaction) throws(LMDBError) in try transaction.count(rows) }
        #expect(count == 1)
    }

    @Test func `every descriptor of the environment is closed on exec`() throws {
        let environment = try opened()
        var checked = 0
        for descriptor in 0..<65_536 as Range<Int32> {
            var target = [CChar](repeating: 0, count: 4_096)
            guard readlink("/proc/self/fd/\(descriptor)", &target, target.count - 1) > 0 else { continue }
            let path = String(decoding: target.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            guard path.hasPrefix(directory.path) else { continue }
            #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0, "\(path)")
            checked += 1
        }
        #expect(checked >= 2)
        #expect(environment.inode != 0)
    }

    @Test func `an environment opened for reading refuses a change`() throws {
        do { _ = try opened() }
        let environment = try Environment(
            directory: directory.path, options: EnvironmentOptions(mapBytes: 4 << 20, isReadOnly: true))
        #expect(throws: LMDBError.io(EACCES)) {
            try environment.write { (_) throws(LMDBError) in }
        }
    }

    @Test func `freed pages are counted`() throws {
        let environment = try opened()
        let table = try environment.write { (transaction) throws(LMDBError) in
            let table = try transaction.table("rows", keys: .integers)
            try transaction.put(1, [UInt8](repeating: 1, count: 100_000).span.bytes, in: table)
            return table
        }
        try environment.write { (transaction) throws(LMDBError) in _ = try transaction.delete(1, in: table) }
        let free = try environment.read { (transaction) throws(LMDBError) in try transaction.freePages() }
        #expect(free >= 24)
        let used = environment.usage
        #expect(used.usedBytes > 100_000)
        #expect(used.mapBytes == 4 << 20)
    }
}
