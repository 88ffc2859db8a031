import Chronicle
import TodoAPI
import Varlink

/// What is handed on of a log, as the first line of its export says.
struct LogCopy {
    /// Its first record, and its last one.
    let first: UInt64
    let last: UInt64
    /// Where it ends, as `Head` tells it.
    let head: String
    /// The time of the last record, in microseconds since 1970; `nil`: there is none.
    let time: Int64?

    /// Bytes of a piece that is handed on.
    private static let pieceBytesMax = 256 << 10

    private init?(_ line: some Sequence<UInt8>) {
        guard let json = try? Value(parsing: Array(line)),
            let first = json["first"]?.int.flatMap({ UInt64(exactly: $0) }),
            let last = json["last"]?.int.flatMap({ UInt64(exactly: $0) }), let chain = json["checksum"]?.text,
            let digest = json["digest"]?.text
        else { return nil }
        (self.first, self.last, head) = (first, last, "\(last)-\(chain)-\(digest)")
        time = json["time"]?.int
    }

    /// Hands records on from one daemon to another; gives the name of the file there.
    static func copied(
        _ records: ExportMethod.Input, from source: Client, to target: Client
    ) throws(Failure) -> (copy: LogCopy, upload: UInt64) {
        var (copy, upload): (LogCopy?, UInt64?)
        var (beginning, byteCount): ([UInt8], UInt64) = ([], 0)
        var progress = Progress()
        try source.stream(ExportMethod.self, records) { answer throws(Failure) in
            guard !Interruption.isRequested else { throw ForkMaker.interrupted }
            let bytes = Array(try answer.output().text.utf8)
            if copy == nil {
                beginning += bytes
                if let end = beginning.firstIndex(of: UInt8(ascii: "\n")) {
                    copy = LogCopy(beginning[..<end])
                    beginning = []
                }
            }
            for start in stride(from: 0, to: bytes.count, by: pieceBytesMax) {
                let piece = Base64.text(Array(bytes[start..<min(start + pieceBytesMax, bytes.count)]))
                upload = try target.call(UploadMethod.self, .init(upload: upload, base64: piece)).upload
            }
            byteCount += UInt64(bytes.count)
            progress.show("Copying the log, \(Digits.bytes(byteCount))")
            return .more
        }
        progress.clear()
        guard let copy, let upload else { throw Failure.unexpected("The daemon exported nothing.") }
        return (copy, upload)
    }
}
