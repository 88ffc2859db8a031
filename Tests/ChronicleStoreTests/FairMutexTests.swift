import ChronicleStore
import Synchronization
import Testing

private final class Counts: Sendable {
    private let counts = Mutex((inside: 0, ran: 0))
    var inside: Int { counts.withLock { $0.inside } }
    var ran: Int { counts.withLock { $0.ran } }

    func enter() { counts.withLock { $0.inside += 1 } }

    func leave() { counts.withLock { $0 = ($0.inside - 1, $0.ran + 1) } }
}

@Suite struct FairMutexTests {
    @Test func `one operation runs at a time`() async {
        let (lock, counts) = (FairMutex(), Counts())
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<40 as Range<UInt32> {
                group.addTask {
                    _ = await lock.withLock(for: task % 3) {
                        counts.enter()
                        await Task.yield()
                        #expect(counts.inside == 1)
                        counts.leave()
                    }
                }
            }
        }
        #expect(counts.ran == 40)
    }

    @Test func `a cancelled task does not wait, and does not run`() async {
        let lock = FairMutex()
        _ = await lock.withLock(for: 1) {
            let waiter = Task { await lock.withLock(for: 1) { Issue.record("it ran without the lock") } != nil }
            await Task.yield()
            waiter.cancel()
            #expect(await waiter.value == false)
        }
        #expect(await lock.withLock(for: 1) { 7 } == 7)
    }
}
