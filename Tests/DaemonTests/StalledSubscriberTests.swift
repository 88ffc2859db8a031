import Glibc
import ProcessTesting
import TestSupport
import Testing
import TodoClient
import Varlink

@Suite(.ownThreads) struct StalledSubscriberTests {
    private static let note = Value.text(String(repeating: "n", count: 330))

    private static func added(_ count: Int) -> Value {
        let items = (0..<count).map { Value.record([.init("title", .text("Buy bottle \($0)")), .init("note", note)]) }
        return ["todos": ["add": ["items": .list(items)]]]
    }

    /// Gives the first todos other titles, so that each state is new.
    private static func changes(_ round: Int) -> [Value] { (1...10).map { Actions.edit($0, title: "Buy bottle \(round).\($0)") } }

    @Test(arguments: [[:], ["scope": "todos"], ["kind": "records", "from": ["sequence": 1]]] as [Value])
    func `subscribers that do not read cost little memory and are closed within seconds`(_ subscription: Value) throws {
        let daemon = try Daemon.started(environment: ["TODOD_CONNECTIONS_PER_USER_MAX": "1000"])
        let client = try daemon.connect()
        for _ in 0..<8 { try client.dispatch([Self.added(500)]) }
        // The cost of the changes themselves is not that of the subscribers.
        for round in 0..<300 { try client.dispatch(Self.changes(round)) }
        let start = try daemon.anonymousKiB()
        var peak = start
        let subscribers = try (300..<600).map { round in
            let subscriber = try daemon.connect()
            try subscriber.send("org.todod.Store.Subscribe", subscription, more: true)
            try client.dispatch(Self.changes(round))
            return subscriber
        }
        let deadline = Deadline(seconds: 30)
        while try client.status()["subscribers"] != 0, deadline.milliseconds > 0 { peak = max(peak, try daemon.anonymousKiB()) }
        #expect(try client.status()["subscribers"] == 0)
        if !Sanitizer.isOn { #expect(peak - start < 50_000, "\(peak - start) KiB") }
        for subscriber in subscribers where try !subscriber.isHungUp(seconds: 0) {
            // Its state was dropped before its socket was full.
            var reply = try subscriber.receive()
            while reply.continues { reply = try subscriber.receive() }
            #expect(reply.error == "org.todod.Store.StoreBusy")
        }
    }

    @Test func `concurrent new subscribers start from a state that is not older than their call`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        for _ in 0..<4 { try client.dispatch([Self.added(500)]) }
        var subscribers: [Client] = []
        // Each of these keeps another state in memory for as long as it may.
        let stalled = try (0..<8).map { _ in
            try client.dispatch([Actions.increment])
            let subscriber = try daemon.connect()
            try subscriber.send("org.todod.Store.Subscribe", [:], more: true)
            return subscriber
        }
        defer { withExtendedLifetime(stalled) {} }
        for _ in 0..<100 {
            let sequence = try #require(try client.dispatch([Actions.increment]).sequences.last)
            let subscriber = try daemon.connect()
            try subscriber.send("org.todod.Store.Subscribe", [:], more: true)
            var (items, counts) = (0, [Int64]())
            while true {
                let page = try Client.result(subscriber.receive())
                items += page["state"]?["todos"]?["items"]?.list?.count ?? 0
                if let count = page["state"]?["counter"]?["count"]?.int { counts.append(count) }
                #expect(try #require(page["sequence"]?.int) >= sequence)
                if page["complete"] == true { break }
            }
            #expect(items == 2_000 && counts == [Int64(subscribers.count) + 9])
            subscribers.append(subscriber)
        }
    }

    @Test func `a quarter of the connections of a user stays free for calls`() throws {
        let daemon = try Daemon.started(environment: ["TODOD_CONNECTIONS_PER_USER_MAX": "8"])
        func subscribe() throws -> (client: Client, reply: Reply) {
            let client = try daemon.connect()
            return (client, try client.ask("org.todod.Store.Subscribe", ["scope": "counter"], more: true))
        }
        let subscribed = try (0..<6).map { _ in try subscribe() }
        #expect(subscribed.allSatisfy { $0.reply.error == nil })
        let refused = try subscribe()
        #expect(refused.reply.error == "org.todod.Store.TooManySubscribers")
        #expect(refused.reply.parameters["max"] == 6 && refused.reply.parameters["uid"]?.int == Int64(getuid()))
        #expect(Client.short(try refused.client.ask("org.todod.Store.Dispatch", ["actions": [Actions.increment]])) == "")
        shutdown(subscribed[0].client.descriptor, Int32(SHUT_RDWR))
        while try refused.client.status()["subscribers"] != 5 { sched_yield() }
        refused.client.endInput()
        #expect(try subscribe().reply.error == nil)
    }
}
