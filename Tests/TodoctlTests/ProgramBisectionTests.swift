import Testing

@testable import todoctl

@Suite struct ProgramBisectionTests {
    private func search(_ good: UInt64, _ bad: UInt64, _ verdict: (UInt64) -> ProgramBisection.Verdict) -> (ProgramBisection, Int)
    {
        var search = ProgramBisection(good: good, bad: bad)
        var looks = 0
        while let moment = search.next {
            #expect(moment > search.good && moment < search.bad)
            search.take(verdict(moment), of: moment)
            looks += 1
        }
        return (search, looks)
    }

    @Test(arguments: [1, 2, 500, 999, 1_000] as [UInt64]) func `a bisection finds the first bad moment`(first: UInt64) {
        let (search, looks) = search(0, 1_000) { $0 < first ? .good : .bad }
        #expect(search.candidates == first...first && looks <= 10)
    }

    @Test func `a bisection works around skipped moments`() {
        let (around, _) = search(0, 100) { $0 == 50 || $0 == 51 ? .skipped : $0 < 70 ? .good : .bad }
        #expect(around.candidates == 70...70)
        let (unknown, looks) = search(0, 10) { (3...6).contains($0) ? .skipped : $0 < 5 ? .good : .bad }
        #expect(unknown.candidates == 3...7 && looks <= 9)
    }

    @Test(arguments: [0, 1, 124, 125, 127, 128, 255] as [Int32])
    func `exit statuses have the same meaning as for git`(status: Int32) {
        let verdict: ProgramBisection.Verdict? = status == 0 ? .good : status == 125 ? .skipped : status < 128 ? .bad : nil
        #expect(ProgramBisection.Verdict(status: status) == verdict)
    }
}
