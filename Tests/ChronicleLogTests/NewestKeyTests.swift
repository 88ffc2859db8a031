import TestSupport
import Testing

@testable import ChronicleLog
@testable import DiskLog

@Suite struct NewestKeyTests {
    let directory = TemporaryDirectory()

    @Test func `every key is found and no other one, regardless of insertion order and restarts`() throws {
        var random = SeededGenerator(11)
        let uids: [UInt32] = [0, 1, 1000, .max]
        var known: [UInt32: Set<String>] = [:]
        for round in 0..<6 {
            let log = try LMDBActionLog.open(directory: directory.path, configuration: .small)
            for _ in 0..<40 {
                var flush = Flush(after: log.head)
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    let uid = uids[Int.random(in: 0..<uids.count, using: &random)]
                    let key = Self.key(&random)
                    let isThere = try log.key(key, of: uid) != nil
                    #expect(isThere == (known[uid]?.contains(key) == true), "key \(key) of uid \(uid) in round \(round)")
                    // Keys of one flush are new to the log and unique, as the store ensures.
                    guard known[uid, default: []].insert(key).inserted else { continue }
                    try flush.stage(KeyRow(first: 0, last: 0, ids: [], digest: 1), key: key, of: uid)
                }
                try log.append(flush)
            }
            for (uid, keys) in known {
                for key in keys {
                    let isThere = try log.key(key, of: uid) != nil
                    #expect(isThere, "key \(key) of uid \(uid) in round \(round)")
                }
            }
        }
    }

    // Few short keys, so that some are equal and some are prefixes of others.
    private static func key(_ random: inout SeededGenerator) -> String {
        let letters = Array("abé~")
        return String((0..<Int.random(in: 1...4, using: &random)).map { _ in letters[Int.random(in: 0..<4, using: &random)] })
    }
}
