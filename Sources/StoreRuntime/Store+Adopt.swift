import ActionLogs
import Reducing

extension Store {
    /// Lends the log to somebody who continues it piece by piece; whoever else would write meanwhile is refused with `.busy`.
    ///
    /// - Throws: `.busy` when it is lent already, and what the body throws.
    public nonisolated func adopting(_ body: () async throws -> Void) async throws {
        // Were it answered with others, their flush could fail and the log stay lent to nobody.
        _ = try await perform(exclusive: true) { store throws(StoreError) in try store.stagedLog.lend() }
        do {
            try await body()
        } catch {
            await takeBack()
            throw error
        }
        await takeBack()
    }

    /// Takes the log back in line; whatever waits already, and also when the store stops.
    private nonisolated func takeBack() async {
        await withCheckedContinuation { continuation in
            let call = Call.task { store in
                store.stagedLog.isLent = false
                continuation.resume()
            }
            signal(inbox.insist(call)) { _ in continuation.resume() }
        }
    }

    /// Continues the log with a piece of another one's history, whole or not at all, and waits until it is on disk.
    ///
    /// - Throws: `.stale` when the log does not end where the piece begins, `.damaged` when this version can't read one of
    ///   its records, a number is beyond `AdoptionLimits` or a bookmark is one too many, and what a dispatch throws.
    public nonisolated func adopt(_ adoption: Adoption) async throws(StoreError) {
        _ = try await perform(exclusive: true) { store throws(StoreError) in
            try store.counted { () throws(StoreError) in try store.stagedLog.accept(adoption) }
        }
    }
}
