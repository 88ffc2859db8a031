import Chronicle
import ChronicleCodable
import ChronicleStore
import TestSupport
import Testing

@Suite struct ClosureTests {
    private struct Note: Codable, Equatable {
        var text: String
        var tags: [String] = []
    }

    @Test func `a store of a number takes ten lines`() async throws {
        let store = try Store(0) { (count: inout Int, amount: Int) in count += amount }
        try await store.dispatch(5)
        try await store.dispatch(-2)
        #expect(store.value == 3 && store.present.sequence == 2)
        await store.stop()
    }

    @Test func `an action that the closure refuses is not logged`() async throws {
        let store = try Store([String]()) { (names: inout [String], name: String) throws(Refusal) in
            names.append(name)
            if name.isEmpty { throw Refusal("NameEmpty", "a name has at least one letter") }
        }
        await #expect(throws: StoreError.self) { try await store.dispatch("") }
        try await store.dispatch("Ada")
        #expect(store.value == ["Ada"] && store.present.sequence == 1)
        await store.stop()
    }

    @Test func `with a directory the value is there after a restart`() async throws {
        try await withTemporaryDirectory { directory in
            for round in 1...3 {
                let store = try Store([Note](), directory: directory + "/notes") { (notes: inout [Note], note: Note) in
                    notes.append(note)
                }
                #expect(store.value.count == round - 1)
                try await store.dispatch(Note(text: "note/\(round)", tags: ["é"]))
                #expect(store.value.last == Note(text: "note/\(round)", tags: ["é"]))
                await store.stop()
            }
        }
    }

    @Test func `an action that can't be encoded as JSON is refused`() async throws {
        let store = try Store(0.0) { (last: inout Double, next: Double) in last = next }
        await #expect(throws: StoreError.self) { try await store.dispatch(.infinity) }
        try await store.dispatch(0.1)
        #expect(store.value == 0.1 && store.present.sequence == 1)
        await store.stop()
    }
}
