import Testing

@testable import ChronicleStore

@Suite struct RateGuardTests {
    private let second: Int64 = 1_000_000

    private func admitted(by rateGuard: inout RateGuard, of count: Int, at now: Int64) -> Int {
        var admitted = 0
        for _ in 0..<count where rateGuard.admits(at: now) { admitted += 1 }
        return admitted
    }

    @Test func `a rate guard admits a burst up to the limit, then refills evenly`() {
        var rateGuard = RateGuard(perMinuteMax: 60)
        let counts = [7, 7 + second - 1, 7 + second, 7 + 31 * second, 7 + 500 * second].map { now in
            admitted(by: &rateGuard, of: 100, at: now)
        }
        #expect(counts == [60, 0, 1, 30, 60])
        #expect(rateGuard.refused == 500 - 151)
    }

    @Test(arguments: [.min, -1, 0, .max - 1, .max] as [Int64])
    func `a rate guard works at the minimum and maximum time`(now: Int64) {
        var rateGuard = RateGuard(perMinuteMax: 1)
        #expect(admitted(by: &rateGuard, of: 1, at: now) == 1)
    }
}
