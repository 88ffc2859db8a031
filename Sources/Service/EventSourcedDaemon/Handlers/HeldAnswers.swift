import Reducing
import StoreRuntime
import Synchronization
import TodoAPI

/// What lists of changes take that are found out as a whole, and then read page by page by whoever asked, as slowly as they like.
final class HeldAnswers: Sendable {
    /// Bytes of those of one uid together, roughly, as JSON, unless it is one answer alone; in memory they take three times as much.
    static let bytesOfAskerMax = 64 << 20

    private let bytes = Mutex<[UInt32: Int]>([:])

    /// Runs what hands on a list of changes.
    ///
    /// - Throws: `queryBusy` while the uid has not read enough of others.
    func hold(_ changes: [Change], for uid: UInt32, _ body: () async throws -> Void) async throws {
        let count = changes.reduce(0) { $0 + $1.approximateBytes }
        let hasRoom = bytes.withLock { bytes in
            let held = bytes[uid, default: 0]
            guard held == 0 || held + count <= Self.bytesOfAskerMax else { return false }
            bytes[uid] = held + count
            return true
        }
        guard hasRoom else { throw APIError.queryBusy }
        defer {
            bytes.withLock { bytes in
                let left = bytes[uid, default: count] - count
                bytes[uid] = left == 0 ? nil : left
            }
        }
        try await body()
    }
}
