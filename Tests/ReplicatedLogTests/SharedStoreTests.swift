import ChronicleLog
import DiskLog
import EtcdTesting
import FeatureCounter
import Foundation
import ReplicatedLog
import TestSupport
import Testing

@testable import ChronicleStore

/// Tests of the clients of machines that share a log.
@Suite(.serialized, .enabled(if: EtcdCluster.isInstalled, "\(EtcdCluster.missing)"), .timeLimit(.minutes(15)))
struct SharedStoreTests {
    @Test func `a dispatch on one machine comes before a later dispatch on another`() async throws {
        let machines = try Machines()
        let (one, two) = (try machines.machine("one"), try machines.machine("two"))
        #expect(one.log.head.storeID == two.log.head.storeID && one.log.head.epoch == two.log.head.epoch)
        #expect(try await one.count() == 1)
        #expect(try await two.count() == 2)
        #expect(try await one.count() == 3)
        #expect(two.store.present.state.count == 2 && one.store.present.state.count == 3)
        #expect(try one.log.checksum(of: 2) == two.log.head.checksum)
        let records = try await one.store.records(from: 1, through: 3)
        #expect(records.map(\.header.node) == ["one", "two", "one"])
    }

    @Test func `each of many concurrent dispatches on three machines is logged once`() async throws {
        let machines = try Machines()
        let all = [try machines.machine("one"), try machines.machine("two"), try machines.machine("three")]
        let sequences = try await withThrowingTaskGroup(of: [UInt64].self) { group in
            for machine in all {
                for client in 0..<4 {
                    group.addTask {
                        var own: [UInt64] = []
                        for index in 0..<20 {
                            own.append(try await machine.count(key: "\(machine.log.node)/\(client)/\(index)"))
                        }
                        return own
                    }
                }
            }
            var all: [UInt64] = []
            for try await own in group { all += own }
            return all
        }
        #expect(sequences.sorted() == Array(1...240))
        for machine in all { #expect(await machine.error(of: .reset) == nil) }
        #expect(try all.map { try $0.log.checksum(of: 240) }.allSatisfy { $0 != nil })
        #expect(Set(try all.map { try $0.log.checksum(of: 240) }).count == 1)
    }

    @Test func `a key identifies the same dispatch on every machine`() async throws {
        let machines = try Machines()
        let (one, two) = (try machines.machine("one"), try machines.machine("two"))
        let first = try await one.store.dispatch(Dispatch([.increment], origin: 1_000, key: "a key"))
        let again = try await two.store.dispatch(Dispatch([.increment], origin: 1_000, key: "a key"))
        #expect(again.isDuplicate && again.sequences == first.sequences)
        #expect(await two.error(of: .decrement, key: "a key") == .keyReused)
        #expect(two.store.present.state.count == 1)
    }

    @Test func `a dispatch is decided on the records of all machines`() async throws {
        let machines = try Machines()
        let (one, two) = (try machines.machine("one"), try machines.machine("two"))
        try await one.count()
        await #expect(throws: StoreError.stale(current: 1)) {
            try await two.store.dispatch(Dispatch([.increment], origin: 1_000, expectedSequence: 0))
        }
        try await one.store.lock("for a moment", by: 0)
        guard case .locked = await two.error() else {
            Issue.record("the lock of another machine was not kept")
            return
        }
    }

    @Test func `a machine that follows the log gets the batches of others without a dispatch`() async throws {
        let machines = try Machines()
        let (one, two) = (try machines.machine("one"), try machines.machine("two"))
        try await two.following {
            for _ in 0..<10 { try await one.count() }
            let present = try await two.store.present(atLeast: 10)
            #expect(present.state.count == 10)
        }
    }

    @Test func `times increase whatever the clocks of the machines say`() async throws {
        let machines = try Machines()
        let hour: Int64 = 3_600_000_000
        let late = StoreClock(wall: { StoreClock.system.wall() - hour }, boot: StoreClock.system.boot)
        let (one, two) = (try machines.machine("one"), try machines.machine("two", clock: late))
        for _ in 0..<3 {
            try await one.count()
            try await two.count()
        }
        let times = try await two.store.records(from: 1, through: 6).map(\.header.time)
        #expect(times.count == 6 && zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test func `a machine that joins later, or that lost its disk, gets the whole log`() async throws {
        let machines = try Machines()
        let one = try machines.machine("one")
        for index in 0..<200 { try await one.count(key: "\(index)") }
        let later = try machines.machine("later")
        #expect(later.store.present.sequence == 0)
        #expect(try await later.count() == 201)
        #expect(later.store.present.state.count == 201)
        #expect(try later.log.checksum(of: 200) == one.log.head.checksum)
        #expect(try later.log.key("7", of: 1_000)?.first == 8)
    }

    @Test func `a flush that is too large is decided in parts, also after batches of others`() async throws {
        let machines = try Machines()
        let (one, two) = (try machines.machine("one"), try machines.machine("two"))
        func batch(_ count: Int) -> Dispatch<Counter.Action> {
            Dispatch([Counter.Action](repeating: .increment, count: count), origin: 1_000)
        }
        var largest = 16_000
        while largest > 1_000, (try? await one.store.dispatch(batch(largest))) == nil { largest -= 500 }
        // Both are refused first and therefore staged together, until it turns out that they are not refused.
        try await one.store.lock("for a moment", by: 0)
        try await two.store.catchUp()
        try await two.store.unlock(by: 0)
        await one.store.hold()
        let (answers, continuation) = AsyncStream<Result<DispatchResult<Counter.Command>, StoreError>>.makeStream()
        // The numbers in the records are longer than before, so a dispatch that was just small enough may now be too large.
        let large = largest - largest / 8
        for count in [largest / 4, large] { one.store.enqueue(batch(count)) { continuation.yield($0) } }
        one.store.release()
        for await answer in answers.prefix(2) { #expect(throws: Never.self) { _ = try answer.get() } }
    }

    @Test func `batches of others are applied later if the copy has too many readers`() async throws {
        let machines = try Machines()
        let one = try machines.machine("one")
        let copy = try LMDBActionLog.open(
            directory: "\(machines.directory.path)/two", configuration: LogConfiguration(mapBytes: 64 << 20, readersMax: 1))
        let two = try Machine("two", of: machines.name, copy: copy, on: machines.cluster)
        try await one.count()
        try await two.store.catchUp()
        try await one.count()
        let (isReading, isRead) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        Thread.detachNewThread {
            _ = try? copy.fold(from: 1, through: 1) { _, _ in
                isReading.signal()
                isRead.wait()
                return true
            }
        }
        await isReading.waitBesideOthers()
        await #expect(throws: StoreError.queryBusy) { try await two.store.catchUp() }
        isRead.signal()
        #expect(try await two.store.present(atLeast: 2).state.count == 2)
        #expect(two.store.followingObstacle == nil)
        #expect(try await two.count() == 3)
    }

    @Test func `a machine that does not run the commands can't record their results`() async throws {
        let machines = try Machines()
        let one = try machines.machine("one")
        await #expect(throws: StoreError.stopping) {
            try await one.store.submit(.begin(CommandID(sequence: 1, index: 0), attempt: 1))
        }
        try await one.store.submit(.hold(by: 0))
        let two = try machines.machine("two")
        try await two.count()
        #expect(two.log.head.heldThrough == .max)
    }
}

extension DispatchSemaphore {
    /// Waits on a separate thread.
    fileprivate func waitBesideOthers() async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                self.wait()
                continuation.resume()
            }
        }
    }
}
