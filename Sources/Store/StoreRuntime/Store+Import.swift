import Records
import Reducing

extension Store {
    /// Lets one caller continue the log batch by batch; whoever else would write meanwhile is refused with `.busy`.
    ///
    /// - Throws: `.busy` when somebody writes exclusively already, and what the body throws.
    public nonisolated func writingExclusively(_ body: () async throws -> Void) async throws {
        // Were it answered with others, their flush could fail and the log stay written by nobody.
        _ = try await perform(exclusive: true) { store throws(StoreError) in try store.stagedLog.beginImport() }
        do {
            try await body()
        } catch {
            await endImport()
            throw error
        }
        await endImport()
    }

    /// Ends the exclusive writing in line; whatever waits already, and also when the store stops.
    private nonisolated func endImport() async {
        await withCheckedContinuation { continuation in
            let call = Call.task { store in
                store.stagedLog.isImporting = false
                continuation.resume()
            }
            signal(inbox.insist(afterAll: call)) { _ in continuation.resume() }
        }
    }

    /// Continues the log with a piece of another one's history, whole or not at all, and waits until it is on disk.
    ///
    /// - Throws: `.stale` when the log does not end where the piece begins, `.damaged` when this version can't read one of
    ///   its records, a number is beyond `ImportLimits` or a bookmark is one too many, and what a dispatch throws.
    public nonisolated func importBatch(_ batch: ImportBatch) async throws(StoreError) {
        _ = try await perform(exclusive: true) { store throws(StoreError) in
            try store.counted { () throws(StoreError) in try store.stagedLog.accept(batch) }
        }
    }
}
