import Curl
import Reducing

/// An answer as it arrives: its head is there, its body is read block by block.
struct WebAnswer {
    /// A block has at least this many bytes, the last one excepted, so that a body in crumbs costs no more than another.
    static let blockBytesMin = 32 << 10

    let status: Int
    /// Where it came from, after redirections.
    let address: WebAddress
    private let response: HTTPResponse
    private let bodyBytesMax: Int
    /// The setting of that maximum, if a person can choose it.
    private let setting: String?

    init(
        _ response: HTTPResponse, to request: WebRequest, from address: WebAddress, limits: WebLimits
    ) throws(CommandFailure) {
        status = response.head.status
        self.response = response
        self.address = address
        bodyBytesMax = min(limits.bodyBytesMax, request.bodyBytesMax)
        setting = limits.bodyBytesMax <= request.bodyBytesMax ? limits.bodyBytesSetting : nil
        // None was asked for, and a small answer could unpack to any size.
        if let coding = header("content-encoding"), coding.lowercased() != "identity" {
            throw CommandFailure(
                "\(address.host) sent an answer packed as \(coding.shown), which was not asked for.", isPermanent: true)
        }
        if let length = header("content-length").flatMap({ Int($0) }), length > bodyBytesMax { throw tooLarge }
    }

    /// The first header with a name.
    func header(_ name: String) -> String? { response.head.header(name) }

    /// The next bytes of the body; nil at its end.
    func block() async throws(CommandFailure) -> [UInt8]? {
        var block: [UInt8] = []
        while block.count < Self.blockBytesMin {
            do throws(HTTPError) {
                guard let piece = try await response.piece() else { break }
                block += piece
            } catch {
                throw error.reason == .bodyTooLarge ? tooLarge : CommandFailure(duringBodyOf: address, error)
            }
        }
        return block.isEmpty ? nil : block
    }

    /// The rest of the body.
    func bytes() async throws(CommandFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        while let block = try await block() { bytes += block }
        return bytes
    }

    private var tooLarge: CommandFailure {
        let advice = setting.map { " To read more, raise \($0)." } ?? ""
        return CommandFailure(
            "\(address.host) sent more than \(bodyBytesMax) bytes, which is not read.\(advice)", isPermanent: true)
    }
}

extension String {
    /// A word of a stranger as it can stand in a sentence: printable ASCII, and not much of it.
    var shown: String {
        String(decoding: utf8.prefix(40).map { (0x20..<0x7F).contains($0) ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
    }
}
