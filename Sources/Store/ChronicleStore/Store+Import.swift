import Chronicle
import ChronicleLog

extension Store {
    /// Lets one caller import batch by batch; all other writes are refused with `.busy`.
    /// - Throws: `.busy` if another import is running, and the errors of the body.
    public nonisolated func writingExclusively(_ body: () async throws -> Void) async throws {
        // In a shared flush, another call's failure could leave the log locked.
        _ = try await perform(exclusive: true) { store throws(StoreError) in try store.stagedLog.beginImport() }
        do {
            try await body()
        } catch {
            await endImport()
            throw error
        }
        await endImport()
    }

    /// Ends the import, regardless of the queue and even if the store stops.
    private nonisolated func endImport() async {
        await withCheckedContinuation { continuation in
            let call = Call.task { store in
                store.stagedLog.isImporting = false
                continuation.resume()
            }
            Self.signal(thread, inbox.insist(afterAll: call)) { _ in continuation.resume() }
        }
    }

    /// Imports a part of another log's history, as a whole or not at all, and waits until it is on disk.
    /// - Throws: `.stale` if the log does not end where the part begins, `.damaged` if a record can't be read, a number exceeds
    ///   `ImportLimits` or there are too many bookmarks, and the errors of a dispatch.
    public nonisolated func importBatch(_ batch: ImportBatch) async throws(StoreError) {
        _ = try await perform(exclusive: true, counting: .batch) { store throws(StoreError) in try store.stagedLog.accept(batch) }
    }
}
