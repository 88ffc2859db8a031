import Chronicle
import ChronicleStore
import Expressions
import Testing

@testable import ChronicleDaemon

@Suite struct ListSelectionTests {
    @Test func `a condition on the elements of a list is limited in its steps`() async throws {
        let list = ListView(path: "items", count: 100) { $0.map { .record([Value.Field("id", .int(Int64($0)))]) } }
        let queries = QueryThread()
        for (stepsMax, isEnough) in [(50, false), (10_000, true)] {
            let condition = try Expression("id > 1000")
            let pages = SelectedPages(list: list, condition: condition, limit: .max, at: 7, stepsMax: stepsMax)
            let refused = try await queries.perform(.long) { queries throws(StoreError) -> Bool in
                var rest = pages
                _ = try await rest.next(queries)
                do throws(StoreError) { _ = try await rest.next(queries) } catch .tooManySteps(reached: 7) { return true }
                return false
            }
            #expect(refused == !isEnough)
        }
    }

    @Test(arguments: [(10, 5_000), (2_000, 700)])
    func `each selected element is returned once, regardless of the number of pages`(noteBytes: Int, count: Int) async throws {
        let list = ListView(path: "items", count: count) { places in
            places.map { ["id": .int(Int64($0)), "note": .text(String(repeating: "x", count: noteBytes))] }
        }
        let conditions = ["not id < 50", "not id < 50 and contains(note, 'x')", "id >= 50 and count(note) == 0"]
        for text in [nil] + conditions {
            let condition = try text.map { try Expression($0) }
            let wanted = Array((text == nil ? 0 : 50)..<count)
            let selected = SelectedPages(list: list, condition: condition, limit: .max, at: 7)
            let pages = try await QueryThread().perform(.long) { queries throws(StoreError) -> [Value] in
                var (rest, pages) = (selected, [Value]())
                while rest.hasMore { pages.append(try await rest.next(queries)) }
                return pages
            }
            let ids = pages.map { page in page["items"]?.list?.compactMap { $0["id"] } ?? [] }
            #expect(ids.flatMap(\.self) == wanted.map { .int(Int64($0)) })
            #expect(ids.count > 3 && ids.allSatisfy { $0.count <= Limits.statePageElementsMax })
            #expect(pages.allSatisfy { $0.approximateBytes <= Limits.statePageBytesMax + 100 })
        }
    }

    @Test func `an element that takes long lets other queries run, and is refused after too many steps`() throws {
        let note = String(repeating: "Ä", count: 4_000)
        let list = ListView(path: "items", count: 1) { _ in [["id": 1, "note": .text(note)]] }
        let condition = try Expression((0..<60).map { "lower(note) != 'z\($0)'" }.joined(separator: " and "))
        var patient = ElementFilter(condition, of: list, at: 7, stepsMax: 1_000_000)
        var (pauses, next) = (0, try patient.next(in: 0..<1, ListMemory()))
        while case .pause(0)? = next {
            pauses += 1
            next = try patient.next(in: 0..<1, ListMemory())
        }
        guard case .found(0)? = next else { throw StoreError.queryBusy }
        #expect(pauses > 50)
        var hurried = ElementFilter(condition, of: list, at: 7, stepsMax: 50_000)
        pauses = 0
        #expect(throws: StoreError.tooManySteps(reached: 7)) {
            while case .pause(0)? = try hurried.next(in: 0..<1, ListMemory()) { pauses += 1 }
        }
        #expect(pauses > 10 && pauses < 50)
    }
}
