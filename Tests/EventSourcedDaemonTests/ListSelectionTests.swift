import Expressions
import Reducing
import StoreRuntime
import Testing

@testable import EventSourcedDaemon

@Suite struct ListSelectionTests {
    @Test func `a condition on the elements of a list takes no more steps than it may`() async throws {
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
}
