import ChronicleStore
import Testing

@Suite(.timeLimit(.minutes(15))) struct MonitorTests {
    private struct Slots {
        var free = 0
        var waiting = 0
        var taken: [Int] = []

        mutating func take(_ number: Int) -> Bool? {
            guard free > 0 else {
                waiting = max(waiting, number + 1)
                return nil
            }
            free -= 1
            taken.append(number)
            return true
        }
    }

    @Test func `waiting tasks resume in the order of their arrival, each once`() async {
        let slots = Monitor(Slots())
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<3 {
                group.addTask { await slots.wait { $0.take(number) } }
                while slots.value.waiting <= number { await Task.yield() }
            }
            slots.withLock { $0.free = 2 }
            #expect(slots.value.taken == [0, 1])
            slots.withLock { $0.free += 1 }
        }
        #expect(slots.value.taken == [0, 1, 2] && slots.value.free == 0)
    }

    @Test func `a cancelled task stops waiting, and one that is cancelled before does not begin`() async {
        let isOpen = Monitor(false)
        let early = Task { await isOpen.waitUnlessCancelled { $0 ? true : nil } }
        await Task.yield()
        early.cancel()
        #expect(await early.value == nil)
        let late = Task {
            while !Task.isCancelled { await Task.yield() }
            return await isOpen.waitUnlessCancelled { _ in true }
        }
        late.cancel()
        #expect(await late.value == nil)
    }

    @Test func `a task that must wait does so when it is cancelled`() async {
        let isOpen = Monitor(false)
        let waiter = Task { await isOpen.wait { $0 ? true : nil } }
        waiter.cancel()
        await Task.yield()
        isOpen.withLock { $0 = true }
        #expect(await waiter.value)
    }
}
