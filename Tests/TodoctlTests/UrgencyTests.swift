import Dates
import Foundation
import Terminal
import TestSupport
import Testing

@testable import todoctl

@Suite struct UrgencyTests {
    /// Saturday 21 November 2026, 10:00 in Berlin.
    private static let urgency = Urgency(
        now: TodoTests.now, zone: .berlin, blocking: Blocking(named: [1, 2, 9], open: [1, 2]))

    /// A todo that was added today.
    private func todo(
        _ id: Int64 = 7, due: String? = nil, priority: Int = 0, tags: [String] = [], after: [Int64] = [], days: Int64 = 0
    ) -> Todo {
        var todo = TodoTests.todo(id, "todo", due: due, priority: priority, tags: tags)
        todo.after = after
        todo.created = (PointParserTests.now - days * 86_400) * 1_000_000
        return todo
    }

    @Test func `each part of the urgency has its own value, up to its weight`() {
        let points = { (todo: Todo) in Self.urgency.points(of: todo) }
        #expect(points(todo()) == 0)
        #expect(points(todo(due: "2026-11-20")) == 1_200)
        #expect(points(todo(due: "2026-11-21T09:00")) == 1_200)
        #expect([21, 22, 28, 29].map { points(todo(due: "2026-11-\($0)")) } == [1_000, 875, 125, 0])
        #expect([0, 1, 2, 3].map { points(todo(priority: $0)) } == [0, 200, 400, 600])
        #expect(points(todo(tags: ["home", "Next"])) == 1_500 && points(todo(tags: ["nextdoor"])) == 0)
        #expect(points(todo(1)) == 800 && points(todo(9)) == 0)
        #expect(points(todo(after: [2])) == -500 && points(todo(after: [9])) == 0)
        #expect([-3, 73, 365, 900].map { points(todo(days: $0)) } == [0, 40, 200, 200])
    }

    @Test func `the urgency is the sum of its parts, and a done todo has none`() {
        var todo = todo(1, due: "2026-11-20", priority: 3, tags: ["next"], after: [2, 9], days: 400)
        let parts = Urgency.Part.allCases.map { Self.urgency.points(of: todo, for: $0) }
        #expect(parts == [1_200, 0, 600, 1_500, 800, -500, 200])
        #expect(Self.urgency.points(of: todo) == parts.reduce(0, +))
        todo.completed = 5
        #expect(Self.urgency.points(of: todo) == 0)
        #expect(Self.urgency.lines(todo) == ["  done            0.00"])
    }

    @Test func `the urgency is explained part by part`() {
        #expect(
            Self.urgency.lines(todo(1, due: "2026-11-22", priority: 2, after: [2, 9], days: 73)) == [
                "  due soon        8.75 of  10.00  due Sunday 22 November 2026", "  priority        4.00 of   6.00  medium",
                "  blocks others   8.00 of   8.00", "  blocked        -5.00 of  -5.00  after 2",
                "  age             0.40 of   2.00  73 days", "  urgency        16.15",
            ])
        #expect(Self.urgency.lines(todo()) == ["  urgency         0.00", "  Nothing makes it urgent."])
    }

    @Test func `the explanation fits the terminal and shortens a date before moving it to its own line`() {
        let pressing = todo(1, due: "2026-11-22", after: [2, 9])
        #expect(Self.urgency.lines(pressing, width: 50).first == "  due soon        8.75 of  10.00  due Sun 22 Nov")
        #expect(Self.urgency.lines(pressing, width: 60).first == "  due soon        8.75 of  10.00  due Sun 22 Nov 2026")
        #expect(
            Self.urgency.lines(todo(1, due: "2026-11-22T14:30"), width: 50).prefix(2) == [
                "  due soon        8.75 of  10.00", "    due Sunday 22 November 2026 14:30",
            ])
        #expect(Self.urgency.lines(pressing, width: 50).allSatisfy { Width.columns($0) <= 50 })
    }

    @Test func `todos are sorted by urgency, and equally urgent ones keep their order`() {
        let todos = [todo(5), todo(6, priority: 1), todo(4), todo(3, due: "2026-11-20"), todo(2, tags: ["next"], after: [1])]
        let sorted = TodoOrder.urgency.sorted(todos, by: Self.urgency.points(of:))
        #expect(sorted.map(\.id) == [2, 3, 6, 5, 4])
    }

    @Test func `the manual has the table of the weights`() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Sources/Programs/todoctl/Manual/todoctl.1")
        let page = try String(contentsOf: file, encoding: .utf8)
        for part in Urgency.Part.allCases {
            #expect(page.contains("\n.It \(part.rawValue) Pq \(Urgency.text(part.weight))\n"), "\(part)")
        }
    }
}
