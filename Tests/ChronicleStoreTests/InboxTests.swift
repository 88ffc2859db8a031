import Testing

@testable import ChronicleStore

@Suite struct InboxTests {
    private let inbox = Inbox<String>()

    @discardableResult
    private func add(_ name: String, of uid: UInt32?, bytes: Int = 0, cost: Int = 1) -> Bool {
        if case .waiting = inbox.add(name, of: uid, bytes: bytes, cost: cost) { true } else { false }
    }

    /// The calls of each slice until the inbox is empty.
    private func slices() -> [String] {
        var slices: [String] = []
        var calls: [String?] = []
        while inbox.take(&calls, isIdle: true) != nil {
            slices.append(calls.compactMap { $0 }.joined(separator: " "))
            calls = []
        }
        return slices
    }

    @Test func `a small call waits for one large call of another uid, not for all of them`() {
        for number in 1...4 { add("large\(number)", of: 1, cost: 10_000) }
        add("small1", of: 2)
        #expect(slices().first == "large1")
        #expect(slices().isEmpty)
        for number in 1...3 { add("large\(number)", of: 1, cost: 10_000) }
        var calls: [String?] = []
        _ = inbox.take(&calls, isIdle: false)
        add("small2", of: 2)
        add("small3", of: 2)
        #expect(calls == ["large1"])
        #expect(slices() == ["small2 small3 large2", "large3"])
    }

    @Test func `uids with equal calls get equal shares, and each uid's calls keep their order`() {
        for number in 1...40 { add("a\(number)", of: 1) }
        for number in 1...40 { add("b\(number)", of: 2) }
        let taken = slices().flatMap { $0.split(separator: " ") }
        for uid in ["a", "b"] {
            #expect(taken.filter { $0.hasPrefix(uid) } == (1...40).map { "\(uid)\($0)" })
        }
        #expect(taken.prefix(2 * Limits.turnCostMax).count { $0.hasPrefix("a") } == Limits.turnCostMax)
    }

    @Test(arguments: [(bytes: 0, cost: 1), (bytes: 1 << 20, cost: 1)])
    func `one uid can fill only half of the inbox`(call: (bytes: Int, cost: Int)) {
        var count = 0
        while add("flood", of: 1, bytes: call.bytes, cost: call.cost) { count += 1 }
        #expect(count == min(Limits.waitingCallsMax, call.bytes == 0 ? .max : Limits.waitingBytesMax / call.bytes) / 2)
        #expect(add("other", of: 2, bytes: call.bytes) && add("own", of: nil))
        #expect(!add("flood", of: 1, bytes: call.bytes))
    }

    @Test func `a barrier comes after all calls that were added before it, in every queue`() {
        for number in 1...3 { add("a\(number)", of: 1, cost: 1_000) }
        add("b1", of: 2)
        _ = inbox.insist(afterAll: "barrier")
        add("a4", of: 1, cost: 1_000)
        add("b2", of: 2)
        let taken = slices().flatMap { $0.split(separator: " ") }
        let place = taken.firstIndex(of: "barrier") ?? 0
        for name in ["a1", "a2", "a3", "b1"] { #expect(taken.prefix(place).contains(Substring(name))) }
        #expect(!taken.prefix(place).contains("a4"))
        #expect(taken.count == 7)
    }

    @Test func `a closed inbox still returns the waiting calls, its last call at the end`() {
        add("first", of: 1, cost: 1_000)
        add("second", of: 2, cost: 1_000)
        _ = inbox.insist(afterAll: "last", closing: true)
        #expect(!add("late", of: 3))
        #expect(slices() == ["first", "second last"])
    }

    @Test func `a queue that is never empty keeps its order and uses little memory`() {
        var (added, taken, calls) = (0, 0, [String?]())
        for _ in 0..<3 * Limits.flushRecordsMax {
            for _ in 0..<2 where added < 4 * Limits.flushRecordsMax {
                add("\(added)", of: 1, cost: Limits.sliceCostMax)
                added += 1
            }
            _ = inbox.take(&calls, isIdle: false)
            #expect(calls == ["\(taken)"])
            taken += 1
            calls = []
        }
        #expect(inbox.count == added - taken)
    }
}
