import CLoad
import Foundation

/// What a shared log costs at least: one client that sends the transaction of an append again and again, and nothing else.
///
/// It compares the head and puts the next head and a batch, as the daemon does, without anything that is in them.
final class BareTransactions {
    private static let prefix = "/bare/"

    private let gateway: EtcdGateway
    private let headBytes: Int
    private let headKey = EtcdGateway.text("\(prefix)head")
    private var head: String
    private var number = 0

    init(port: UInt16, headBytes: Int) throws(BenchmarkError) {
        gateway = try EtcdGateway(port: port)
        self.headBytes = headBytes
        head = Self.head(0, bytes: headBytes)
        _ = try gateway.ask("kv/put", #"{"key":"\#(headKey)","value":"\#(head)"}"#)
    }

    /// Sends one after the other for so long, each with that many records in that many bytes.
    func run(records: Int, bytes: Int, nanoseconds: UInt64) throws(BenchmarkError) -> Load.Result {
        let batch = Data((0..<bytes).map { _ in UInt8.random(in: 0...255) }).base64EncodedString()
        var latencies: [UInt64] = []
        let start = cload_now()
        var now = start
        while now - start < nanoseconds {
            try append(batch)
            let end = cload_now()
            latencies.append(end - now)
            now = end
        }
        return Load.Result(answered: latencies.count * records, seconds: Double(now - start) / 1e9, latencies: latencies)
    }

    private func append(_ batch: String) throws(BenchmarkError) {
        number += 1
        let next = Self.head(number, bytes: headBytes)
        let key = EtcdGateway.text("\(Self.prefix)log/\(Self.digits(number))")
        let answer = try gateway.ask(
            "kv/txn",
            #"{"compare":[{"key":"\#(headKey)","target":"VALUE","value":"\#(head)"},"#
                + #"{"key":"\#(key)","target":"CREATE","create_revision":"0"}],"#
                + #""success":[{"request_put":{"key":"\#(headKey)","value":"\#(next)"}},"#
                + #"{"request_put":{"key":"\#(key)","value":"\#(batch)"}}],"#
                + #""failure":[{"request_range":{"key":"\#(key)"}}]}"#)
        guard answer.range(of: Self.success) != nil else {
            throw BenchmarkError("a bare transaction failed: \(String(decoding: answer.prefix(400), as: UTF8.self))")
        }
        head = next
    }

    private static let success = Data(#""succeeded":true"#.utf8)

    private static func head(_ number: Int, bytes: Int) -> String {
        EtcdGateway.text(digits(number) + String(repeating: "-", count: max(0, bytes - 20)))
    }

    private static func digits(_ number: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: 20 - digits.utf8.count) + digits
    }
}
