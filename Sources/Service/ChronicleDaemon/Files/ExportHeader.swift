import ChronicleLog
import ChronicleStore
import ChronicleValues
import Varlink

/// The first line of an export: its range, and how to check that it is complete.
struct ExportHeader: Equatable {
    static let format: Int64 = 1
    /// Older versions reject this format.
    static let basedFormat: Int64 = 2

    var version: String
    var storeID: String
    var epoch: UInt64
    /// The first and the last record; empty if the first is greater.
    var first: UInt64
    var last: UInt64
    /// The checksums of the record before the first, and of the last one, which covers all of them.
    var before: UInt64
    var checksum: UInt64
    var digest: UInt64
    /// The time of the last record, in microseconds since 1970; only for people.
    var time: Int64?
    /// Bytes of the base that follows, with which an empty log can begin; `nil`: none.
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
            throw ImportFailure("It is not an export of a log.")
        }
        let version = json["version"]?.text ?? "?"
        guard format == Self.format || format == Self.basedFormat else {
            throw ImportFailure("Version \(version) wrote it in format \(format), which this version does not read.")
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
