import ChronicleLog
import ChronicleStore
import ChronicleValues
import TodoAPI
import Varlink

/// A line of an export after the header: a record, or the end.
///
/// An import uses only the record's bytes, and reports if its readable form differs.
enum ExportLine {
    case record(SealedRecord, KeyRow?)
    case end(UInt64, outbox: [OutboxRow])

    static func record<App: DaemonApp>(_ record: SealedRecord, _ key: KeyRow?, of app: App.Type) throws(StoreError) -> [UInt8] {
        let logged: LoggedRecord<App>
        do throws(CanonicalError) { logged = try LoggedRecord(record) } catch {
            throw .damaged(sequence: record.header.sequence, what: "its payload can't be read: \(error.reason)")
        }
        var line: [UInt8] = []
        RecordMessage(logged).write(into: &line)
        line.removeLast()
        line += ",\"bytes\":\"".utf8
        Base64.append(record.bytes, to: &line)
        if let key {
            line += "\",\"done\":\"".utf8
            Base64.append(key.exportedBytes, to: &line)
        }
        line += "\"}".utf8
        return line
    }

    static func end(_ last: UInt64, outbox: [OutboxRow]) -> [UInt8] {
        var line: [UInt8] = []
        JSON.write(
            [
                .init("end", .int(Int64(clamping: last))),
                .init("outbox", .list(outbox.map { .text(Base64.text($0.exportedBytes)) })),
            ], into: &line)
        return line
    }

    init(_ json: Value, expecting sequence: UInt64) throws(ImportFailure) {
        if let end = json["end"]?.int {
            var rows: [OutboxRow] = []
            for text in json["outbox"]?.list ?? [] {
                guard let row = try? text.text.flatMap(Base64.bytes).map({ try OutboxRow(exported: $0) }) else {
                    throw ImportFailure("Its last line is damaged.")
                }
                rows.append(row)
            }
            self = .end(UInt64(clamping: end), outbox: rows)
            return
        }
        guard let bytes = json["bytes"]?.text.flatMap(Base64.bytes) else {
            throw ImportFailure("The line of record \(sequence) is damaged.")
        }
        let record: SealedRecord
        do throws(ActionLogError) { record = try SealedRecord(bytes, sequence: sequence) } catch {
            throw ImportFailure("Record \(sequence) can't be taken over: \(error).")
        }
        var key: KeyRow?
        if let text = json["done"]?.text {
            let bytes = text.utf8.count <= ExportFile.baseLineBytesMax ? Base64.bytes(text) : nil
            // Checked first, because a few bytes may encode millions of ids.
            guard let bytes, KeyRow.idCount(exported: bytes) <= ImportLimits.keyIDsMax, let row = try? KeyRow(exported: bytes),
                row.last == sequence, record.header.key != nil
            else { throw ImportFailure("The key of record \(sequence) is damaged.") }
            key = row
        }
        self = .record(record, key)
    }
}

extension ExportFile {
    /// Reads each record with its key row and its line; returns the open commands after the last.
    /// - Throws: `ImportStop` if a line is damaged or the end is missing or not the last line, `CancellationError`, and the errors of
    ///   `take`.
    mutating func readRecords(
        of header: ExportHeader, _ take: (SealedRecord, KeyRow?, Value) async throws -> Void
    ) async throws -> [OutboxRow] {
        var sequence = header.first - 1
        var turnStart = lineBytes
        while let json = try ImportStop.reading({ () throws(ImportFailure) in try next() }) {
            let expected = sequence + 1
            switch try ImportStop.reading({ () throws(ImportFailure) in try ExportLine(json, expecting: expected) }) {
            case .record(let record, let key):
                try await take(record, key, json)
                sequence = expected
            case .end(let last, let outbox):
                guard last == sequence, last == header.last else {
                    throw ImportStop.impossible("Records are missing at its end.")
                }
                let rest = try ImportStop.reading { () throws(ImportFailure) in try next() }
                guard rest == nil else { throw ImportStop.impossible("Something stands behind its end.") }
                return outbox
            }
            // By bytes: some lines are as long as thousands of others.
            if lineBytes - turnStart >= Self.turnBytes {
                try Task.checkCancellation()
                await Task.yield()
                turnStart = lineBytes
            }
        }
        throw ImportStop.impossible("It is not whole: its last line is missing.")
    }
}
