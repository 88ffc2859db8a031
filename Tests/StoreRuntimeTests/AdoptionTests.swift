import ActionLogs
import Reducing
import StoreRuntime
import Testing

@Suite struct AdoptionTests {
    private struct Broken: Error {}

    @Test func `nobody else writes while a history is taken over, and everybody can afterwards`() async throws {
        let source = InMemoryActionLog()
        try await withStore(source) { store in
            for _ in 0..<4 { _ = try await store.dispatch(Dispatch([.add(1)], origin: 1000)) }
        }
        var records: [SealedRecord] = []
        _ = try source.sealed(from: 1, through: 4, recordsMax: .max, bytesMax: .max) { record in
            records.append(record)
            return true
        }
        try await withStore { store in
            try await store.adopting {
                try await store.adopt(Adoption(records: Array(records[..<2])))
                #expect(await store.error(of: Dispatch([.add(1)], origin: 1000)) == .busy)
                await #expect(throws: StoreError.busy) { try await store.set(Bookmark(name: "here", sequence: 1), by: 1) }
                await #expect(throws: StoreError.busy) { try await store.submit(.hold(by: 1)) }
                await #expect(throws: StoreError.busy) { try await store.adopting {} }
                try await store.adopt(Adoption(records: Array(records[2...])))
            }
            #expect(store.present.sequence == 4)
            #expect(try await store.dispatch(Dispatch([.add(1)], origin: 1000)).sequences == 5..<6)
        }
        try await withStore { store in
            await #expect(throws: Broken.self) { try await store.adopting { throw Broken() } }
            #expect(await store.error(of: Dispatch([.add(1)], origin: 1000)) == nil)
        }
    }
}
