import LMDB

@testable import ChronicleLog
@testable import DiskLog

/// Reads and changes rows without the log's knowledge.
extension LMDBActionLog {
    enum TamperedTable { case keys, outbox, meta }

    private func table(_ table: TamperedTable) -> Table {
        switch table {
        case .keys: tables.keys
        case .outbox: tables.outbox
        case .meta: tables.meta
        }
    }

    func recordValue(_ sequence: UInt64) throws -> [UInt8] {
        let value = try environment.read { (transaction) throws(LMDBError) -> [UInt8]? in
            try transaction.get(sequence, in: tables.records) { (value) throws(LMDBError) in value.array }
        }
        return value ?? []
    }

    func rowValue(_ key: [UInt8], in name: TamperedTable) throws -> [UInt8] {
        let table = table(name)
        let value = try environment.read { (transaction) throws(LMDBError) -> [UInt8]? in
            try transaction.get(key.span.bytes, in: table) { (value) throws(LMDBError) in value.array }
        }
        return value ?? []
    }

    func setRecordValue(_ value: [UInt8], of sequence: UInt64) throws {
        try environment.write { (transaction) throws(LMDBError) -> Void in
            try transaction.put(sequence, value.span.bytes, in: tables.records)
        }
    }

    func setRowValue(_ value: [UInt8], of key: [UInt8], in name: TamperedTable) throws {
        let table = table(name)
        try environment.write { (transaction) throws(LMDBError) -> Void in
            try transaction.put(key.span.bytes, value.span.bytes, in: table)
        }
    }

    func deleteRecord(_ sequence: UInt64) throws {
        try environment.write { (transaction) throws(LMDBError) -> Void in
            _ = try transaction.delete(sequence, in: tables.records)
        }
    }
}
