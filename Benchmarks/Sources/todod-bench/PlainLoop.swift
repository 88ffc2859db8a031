import CLoop
import Foundation

/// The C loop on the same disk, with the daemon's map and rows.
final class PlainLoop {
    private let loop: OpaquePointer

    init(in folder: URL, keys: Int) throws(BenchmarkError) {
        var loop: OpaquePointer?
        let code = cloop_open(folder.path, 64 << 30, &loop)
        guard code == 0, let loop else { throw Self.error(code) }
        self.loop = loop
        let prepared = cloop_prepare(loop, UInt64(keys))
        guard prepared == 0 else { throw Self.error(prepared) }
    }

    deinit {
        cloop_close(loop)
    }

    /// Bytes of the map in use.
    var bytes: Int { Int(cloop_bytes(loop)) }

    /// Commits batches of that size for so long.
    func run(batch: Int, nanoseconds: UInt64) throws(BenchmarkError) -> Load.Result {
        var latencies = [UInt64](repeating: 0, count: 100_000)
        var result = cloop_result()
        let code = cloop_run(loop, UInt32(batch), nanoseconds, &latencies, latencies.count, &result)
        guard code == 0 else { throw Self.error(code) }
        latencies.removeLast(latencies.count - Int(result.latencies))
        return Load.Result(answered: Int(result.records), seconds: Double(result.nanoseconds) / 1e9, latencies: latencies)
    }

    private static func error(_ code: Int32) -> BenchmarkError {
        BenchmarkError("C loop: \(String(cString: cloop_error(code)))")
    }
}
