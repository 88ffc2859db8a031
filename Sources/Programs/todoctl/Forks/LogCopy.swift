import Chronicle
import TodoAPI
import Varlink

/// An exported part of a log, described by the first line of the export.
struct LogCopy {
    let first: UInt64
    let last: UInt64
    /// The sequence number of the last record, as in `Head`.
    let head: String
    /// The time of the last record, in microseconds since 1970.
    let time: Int64?

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

    /// Copies records from one daemon to another and returns the id of the upload.
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

extension ForkPlace {
    /// Uploads its log to a daemon: all of it, so that the target can tell forks apart even if few records are merged.
    func handOn(to target: Client) throws(Failure) -> (copy: LogCopy, upload: UInt64) {
        let first = try read().sequence + 1
        let daemon = try ForkDaemon(place: self).client()
        let base = try daemon.call(StatusMethod.self, NoFields()).base ?? 0
        guard base < first else {
            let error = APIError.compactedFork(through: base)
            throw Failure(CallError(error.name, error.parameters), socket: target.socket)
        }
        return try LogCopy.copied(.init(from: Point(sequence: first)), from: daemon, to: target)
    }

    /// Whether the original log contains all its changes, according to its daemon.
    ///
    /// A note in the fork would not know about undos there, or which log it was merged into. If the daemon can't tell, the answer
    /// is no.
    func isTakenOver() throws(Failure) -> Bool {
        let socket = try read().socket
        guard let target = try? Client(socket: socket), let upload = try? handOn(to: target).upload,
            let would = try? target.call(MergeForkMethod.self, .init(upload: upload, dryRun: true))
        else { return false }
        return would.isNothing
    }
}
