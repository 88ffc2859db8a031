import Testing

@testable import CommandRunning

@Suite struct HeapTests {
    @Test func `a heap returns its elements in order regardless of insertion order`() {
        var heap = Heap<Int>()
        let numbers = (0..<500).map { $0 * 7_919 % 503 }
        for number in numbers { heap.push(number) }
        var taken: [Int] = []
        while let number = heap.pop() { taken.append(number) }
        #expect(taken == numbers.sorted())
        #expect(heap.isEmpty)
    }
}
