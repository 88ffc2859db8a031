import FeatureApp
import FeatureCounter
import FeatureTodos
import Fields
import Records
import Reducing
import StoreRuntime
import Testing
import TimeTravel
import Values

@Suite struct FittingTests {
    private static let filters = [
        RecordFilter(), RecordFilter(feature: "todos"), RecordFilter(actions: ["add", "counter.increment"]),
        RecordFilter(feature: "todos", actions: ["remove"]), RecordFilter(feature: "todos", actions: ["counter.increment"]),
        RecordFilter(origin: 1001), RecordFilter(feature: "counter", origin: 1002), RecordFilter(actions: ["Add"]),
    ]

    @Test(arguments: filters) func `page by page it is what one would pick by hand`(filter: RecordFilter) async throws {
        let sample = try SampleLog.random(5, records: 700)
        let history = sample.history()
        var (found, reached): ([UInt64], UInt64) = ([], 3)
        while reached < sample.head - 2 {
            let page = try await history.records(fitting: filter, after: reached, through: sample.head - 2)
            #expect(page.records.count <= Limits.pageRecordsMax && page.reached > reached)
            #expect(page.records.allSatisfy { (reached + 1...page.reached).contains($0.header.sequence) })
            found += page.records.map(\.header.sequence)
            reached = page.reached
        }
        #expect(reached == sample.head - 2)
        let wanted = (4...reached).filter { sequence in
            guard case .record(let features)? = sample.actions[Int(sequence) - 1]?.value, let feature = features.first,
                case .record(let actions) = feature.value, let action = actions.first
            else { return filter.feature == nil && filter.actions.isEmpty }
            let names = [action.name, feature.name + "." + action.name]
            return filter.feature.map { $0 == feature.name } ?? true
                && (filter.actions.isEmpty || filter.actions.contains { names.contains($0) })
                && filter.origin.map { $0 == sample.headers[Int(sequence) - 1].origin } ?? true
        }
        #expect(found == wanted)
    }

    @Test func `what can be no subscription is said with why`() {
        func why(_ name: String, _ actions: [String] = []) -> String? {
            SubscriptionRow.objection(to: name, wanting: RecordFilter(actions: actions))
        }
        #expect(why("mail-2.x_y", ["add"]) == nil && why("now") == nil)
        #expect(why("")?.contains("1 to 64 bytes") == true && why(String(repeating: "n", count: 65)) != nil)
        #expect(why("2nd")?.contains("letter") == true && why("a b")?.contains("letters, digits") == true)
        #expect(why("a\u{1B}[2J") != nil && why("a\"b") != nil)
        #expect(why("a", Array(repeating: "add", count: 65)) != nil && why("a", [""]) != nil)
        #expect(why("a", [String(repeating: "x", count: 129)]) != nil)
    }
}
