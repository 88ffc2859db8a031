import Chronicle
import ChronicleLog
import ChronicleStore
import FeatureApp
import FeatureCounter
import FeatureTodos
import Testing
import TimeTravel

@Suite struct HeadTests {
    @Test func `a log extends each of its earlier heads and no other head`() async throws {
        var sample = try SampleLog.random(16, records: 40)
        let history = sample.history()
        let heads = [try await history.anchoredHead()]
        #expect(heads[0].sequence == sample.head)
        for _ in 0..<3 { try sample.dispatch([.counter(.increment)]) }
        let later = try await history.anchoredHead()
        for head in heads + [later, HeadCheckpoint(sequence: 0, chain: 0, digest: try await digest(of: App.State()))] {
            #expect(try await history.verify(from: head).damages == [])
        }
        for sequence in [5, later.sequence] {
            var (rewritten, otherwise) = (later, later)
            (rewritten.sequence, otherwise.sequence) = (sequence, sequence)
            let chain = try #require(try sample.log.checksum(of: sequence))
            (rewritten.chain, otherwise.chain) = (chain ^ 1, chain)
            otherwise.digest ^= 1
            #expect(try await history.verify(from: rewritten).damages.map(\.kind) == [.head])
            #expect(try await history.verify(from: otherwise).damages.map(\.kind) == [.fold])
        }
        let lost = try await history.verify(from: HeadCheckpoint(sequence: later.sequence + 1, chain: 1, digest: 1))
        #expect(lost.damages.map(\.kind) == [.head] && lost.records == later.sequence)
    }

    private func digest(of state: App.State) async throws -> UInt64 {
        try await History<App>(InMemoryActionLog(), snapshots: nil, fingerprint: "code", base: PastState(state: state))
            .anchoredHead().digest
    }

    @Test func `a log whose last record was replaced together with its checksums does not extend its old head`() async throws {
        func log(lastly action: App.Action) throws -> SampleLog {
            var sample = SampleLog()
            try sample.dispatch([.counter(.increment)])
            try sample.dispatch([action])
            return sample
        }
        let head = try await log(lastly: .counter(.increment)).history().anchoredHead()
        let rewritten = try log(lastly: .counter(.decrement)).history()
        #expect(try await rewritten.verify().damages == [])
        #expect(try await rewritten.verify(from: head).damages.map(\.kind) == [.head])
    }

    @Test func `a log extends heads from before and after a redaction`() async throws {
        try await Desk.open(InMemoryActionLog()) { desk in
            try await desk.do(.todos(.add([Todo(title: "A secret")])))
            let before = try await desk.history.anchoredHead()
            let redaction = try #require(try await desk.history.redaction(of: [1]) { $0.redacted })
            try await desk.store.redact(redaction)
            let after = try await desk.history.anchoredHead()
            #expect(before.chain == after.chain && before.digest != after.digest && after.redactions == 1)
            for head in [before, after] { #expect(try await desk.history.verify(from: head).damages == []) }
            var wrong = after
            wrong.digest = before.digest
            #expect(try await desk.history.verify(from: wrong).damages.map(\.kind) == [.fold])
        }
    }
}
