import Records
import StoreRuntime
import Values
import Varlink

/// The first line of an export: what it holds, and how to tell that it is whole.
struct ExportHeader: Equatable {
    /// That of an export whose first record is the first of a log, or follows what is there.
    static let format: Int64 = 1
    /// That of an export with a base, which builds that know of none refuse.
    static let basedFormat: Int64 = 2

    /// The daemon that wrote it.
    var version: String
    /// The log it comes from.
    var storeID: String
    var epoch: UInt64
    /// The first and the last record; none when the first is behind the last.
    var first: UInt64
    var last: UInt64
    /// The checksum of the record before the first, and that of the last, which stands for all of them.
    var before: UInt64
    var checksum: UInt64
    /// The digest of the state after the last record.
    var digest: UInt64
    /// The time of the last record, in microseconds since 1970; for people alone.
    var time: Int64?
    /// How many bytes of a base follow, with which an empty log can begin; `nil`: none does.
    var baseBytes: Int?

    var line: [UInt8] {
        var bytes: [UInt8] = []
        let format = baseBytes == nil ? Self.format : Self.basedFormat
        JSON.write(
            [
                .init("todod", .text("export")), .init("format", .int(format)),
                .init("version", .text(version)), .init("store", .text(storeID)),
                .init("epoch", .int(Int64(clamping: epoch))),
                .init("first", .int(Int64(clamping: first))),
                .init("last", .int(Int64(clamping: last))),
                .init("before", .text(Hexadecimal.text(before))),
                .init("checksum", .text(Hexadecimal.text(checksum))),
                .init("digest", .text(Hexadecimal.text(digest))),
            ] + (time.map { [.init("time", .int($0))] } ?? []) + (baseBytes.map { [.init("base", .int(Int64($0)))] } ?? []),
            into: &bytes)
        return bytes
    }
}

extension ExportHeader {
    init(_ json: Value) throws(ImportFailure) {
        guard json["todod"]?.text == "export", let format = json["format"]?.int else {
            throw ImportFailure("It is no export of todod.")
        }
        let version = json["version"]?.text ?? "?"
        guard format == Self.format || format == Self.basedFormat else {
            throw ImportFailure("It was written by todod \(version) in format \(format), which this version does not read.")
        }
        guard let storeID = json["store"]?.text, let epoch = Self.number(json["epoch"]), let first = Self.number(json["first"]),
            let last = Self.number(json["last"]), let before = json["before"]?.text.flatMap({ Hexadecimal.number($0) }),
            let checksum = json["checksum"]?.text.flatMap({ Hexadecimal.number($0) }),
            let digest = json["digest"]?.text.flatMap({ Hexadecimal.number($0) }),
            first > 0, last >= first - 1
        else { throw ImportFailure("Its first line is damaged.") }
        let baseBytes = json["base"]?.int.flatMap { Int(exactly: $0) }
        guard format == Self.format ? json["base"] == nil : baseBytes.map({ $0 > 0 }) ?? false else {
            throw ImportFailure("Its first line is damaged.")
        }
        guard last <= ImportLimits.sequenceMax else {
            throw ImportFailure("It ends at record \(last), and no log reaches record \(ImportLimits.sequenceMax).")
        }
        if let baseBytes, baseBytes > ImportLimits.baseBytesMax {
            throw ImportFailure(
                "What the compacted log begins with has \(baseBytes) bytes, and no log begins with more than "
                    + "\(ImportLimits.baseBytesMax).")
        }
        self.init(
            version: version, storeID: storeID, epoch: epoch, first: first, last: last, before: before, checksum: checksum,
            digest: digest, time: json["time"]?.int, baseBytes: baseBytes)
    }

    private static func number(_ json: Value?) -> UInt64? { json?.int.flatMap { UInt64(exactly: $0) } }
}
