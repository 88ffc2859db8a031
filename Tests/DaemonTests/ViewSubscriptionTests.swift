import ChronicleTesting
import ProcessTesting
import TestSupport
import Testing
import TodoClient
import Varlink

/// Tests of `Subscribe` with the kind "view".
@Suite(.ownThreads) struct ViewSubscriptionTests {
    private static func view(_ feature: String, over client: Client) throws -> Screen {
        Screen(try client.call("org.todod.Store.View", ["feature": .text(feature)])["view"] ?? .null)
    }

    @Test func `a subscriber of a view gets its pages, then its changes, and nothing for unrelated records`() throws {
        let daemon = try Daemon.started()
        let (writer, reader) = (try daemon.connect(), try daemon.connect())
        try writer.dispatch([Actions.add("Buy the milk", "Take my dog", "Rent a car")])
        try reader.send("org.todod.Store.Subscribe", ["kind": "view", "feature": "todos"], more: true)
        let first = try Client.result(reader.receive())
        #expect(first["view"]?["title"] == "TODO - (3)" && first["complete"] == false)
        #expect(first["view"]?["rows"]?.list?.isEmpty == true)
        let second = try Client.result(reader.receive())
        #expect(second["view"]?["rows"]?.list?.count == 3 && second["complete"] == true && second["sequence"] == 1)
        #expect(first["state"] == nil && second["state"] == nil)

        // The counter is another feature, and the view contains no notes.
        try writer.dispatch([Actions.increment])
        try writer.dispatch([["todos": ["edit": ["id": 2, "note": "With a lead"]]]])
        let sequence = try #require(try writer.dispatch([Actions.edit(2, title: "Walk my dog")]).sequences.last)
        let item = try Client.result(reader.receive())
        #expect(item["sequence"]?.int == sequence && item["epoch"] == first["epoch"])
        #expect(try #require(item["time"]?.int) > 0)
        #expect(item["view"] == nil && item["skipped"] == 0)
        #expect(item["records"]?.list?.isEmpty == true && item["commands"]?.list?.isEmpty == true)
        let changes = try #require(item["changes"]?.list)
        #expect(
            changes == [
                [
                    "path": "rows", "kind": "replace", "id": 2, "at": 1,
                    "old": ["id": 2, "text": "Take my dog", "done": false],
                    "new": ["id": 2, "text": "Walk my dog", "done": false],
                ]
            ])

        try writer.dispatch([Actions.text("Buy")])
        let typed = try Client.result(reader.receive())["changes"]?.list ?? []
        #expect(typed.allSatisfy { $0["path"] == "" && $0["kind"] == "set" })
        #expect(typed.compactMap { $0["new"] } == [["addEnabled": true], ["draft": "Buy"]])
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `applying the changes of a view gives the view, for two subscribers, any actions, and across restarts`(
        seed: UInt64
    ) throws {
        let daemon = try Daemon.started()
        var dice = SeededGenerator(seed)
        for round in 0..<3 {
            let writer = try daemon.connect()
            let readers = try (0..<2).map { _ in try ViewReader("todos", of: daemon) }
            let stars = try ViewReader("stars", of: daemon)
            for _ in 0..<60 {
                // A refused action changes nothing.
                _ = try writer.ask("org.todod.Store.Dispatch", Client.dispatch([Self.action(&dice)]))
            }
            let last = try #require(
                try writer.dispatch([
                    ["stars": ["press": ["id": .text("round \(round)")]]], Actions.text("round \(round)"),
                ]).sequences.last)
            for reader in readers {
                try reader.read(through: last)
                #expect(try reader.screen == Self.view("todos", over: writer))
            }
            // The button changes again when its command ends.
            while try stars.screen != Self.view("stars", over: writer) { try stars.read() }
            if round == 0 { try daemon.crash() } else { #expect(try daemon.stop() == .exit(0)) }
            if round == 1 { try daemon.start() }
        }
    }

    private static func action(_ dice: inout SeededGenerator) -> Value {
        let id = Int64.random(in: 1...30, using: &dice)
        switch Int.random(in: 0...8, using: &dice) {
        case 0, 1: return Actions.add("Todo \(id)", "Another todo")
        case 2: return Actions.complete(id)
        case 3: return Actions.reopen(id)
        case 4: return Actions.remove(id)
        case 5: return Actions.move(id, to: Int64.random(in: 0...5, using: &dice))
        case 6: return Actions.edit(id, title: "Edited \(Int.random(in: 0...1, using: &dice))")
        case 7: return ["todos": ["edit": ["id": .int(id), "note": "Not shown"]]]
        default: return Actions.text("Typed \(id)")
        }
    }

    @Test func `a slow subscriber of a view gets several changes as one, and later ones like the others`() throws {
        let daemon = try Daemon.started(environment: ["TODOD_OUTBOUND_BYTES_MAX": "65536"])
        let writer = try daemon.connect()
        let readers = try (0..<5).map { _ in try ViewReader("todos", of: daemon) }
        try Storm.dispatch(400, over: writer, text: String(repeating: "All that is to be done. ", count: 160))
        for reader in readers {
            try reader.read(through: 400)
            #expect(try reader.screen == Self.view("todos", over: writer))
            #expect(reader.replies < 300, "\(reader.replies)")
        }
        try writer.dispatch([Actions.text("one more")])
        for reader in readers {
            try reader.read(through: 401)
            #expect(try reader.screen == Self.view("todos", over: writer))
        }
    }

    @Test func `with ten thousand todos each change, including each typed character, sends less than 2 KiB`() throws {
        let directory = TemporaryDirectory()
        let items = (1...10_000).map { #"{"id":\#($0),"title":"Todo number \#($0)","created":\#($0)}"# }
        let state = try directory.write(#"{"todos":{"items":[\#(items.joined(separator: ","))]}}"#, to: "state.json")
        let daemon = try Daemon.started(flags: ["--ephemeral", "--state", state])
        let writer = try daemon.connect()
        let reader = try ViewReader("todos", of: daemon)
        #expect(reader.replies == 1 + 40 && reader.rowsMax == 256)
        let actions = [
            Actions.text("B"), Actions.text("Bu"), Actions.text("Buy"), Actions.edit(5_000, title: "Changed"),
            Actions.complete(9_999), Actions.move(9_999, to: 10), Actions.remove(1), Actions.submit,
        ]
        for action in actions {
            let before = reader.bytes
            try reader.read(through: #require(try writer.dispatch([action]).sequences.last))
            #expect(reader.bytes - before < 2_048, "\(action): \(reader.bytes - before) bytes")
        }
        #expect(try reader.screen == Self.view("todos", over: writer))
    }

    @Test(
        arguments: [
            (["kind": "view"], "feature"), (["feature": "todos"], "feature"),
            (["kind": "records", "feature": "todos"], "feature"),
            (["kind": "view", "feature": "todos", "scope": "todos"], "scope"),
            (["kind": "view", "feature": "todos", "from": ["sequence": 0]], "from"),
            (["kind": "view", "feature": "todos", "speed": 1], "speed"),
            (["kind": "view", "feature": "todos", "gapMax": 1], "gapMax"),
            (["kind": "views", "feature": "todos"], "feature"), (["kind": "views"], "kind"),
        ] as [(Value, String)])
    func `a parameter that is invalid for a view subscription is refused by its name`(parameters: Value, name: String) throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        let refused = try client.ask("org.todod.Store.Subscribe", parameters, more: true)
        #expect(refused.error == "org.varlink.service.InvalidParameter" && refused.parameters["parameter"]?.text == name)
    }

    @Test func `an unknown feature, another epoch and a call for one reply are refused`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        for (parameters, more, name) in [
            (["kind": "view", "feature": "nope"], true, "UnknownFeature"),
            (["kind": "view", "feature": "todos.items"], true, "UnknownFeature"),
            (["kind": "view", "feature": "todos", "epoch": 7], true, "EpochChanged"),
            (["kind": "view", "feature": "todos"], false, "ExpectedMore"),
        ] as [(Value, Bool, String)] {
            #expect(Client.short(try client.ask("org.todod.Store.Subscribe", parameters, more: more)) == name, "\(parameters)")
        }
    }
}

/// A copy of a view that is updated from the replies of its subscription.
private final class ViewReader {
    private let client: Client
    private var page: Value?
    private(set) var screen = Screen(.null)
    private(set) var sequence: Int64 = -1
    private(set) var replies = 0
    private(set) var rowsMax = 0

    /// Subscribes and reads all pages of the view.
    init(_ feature: String, of daemon: Daemon) throws {
        client = try daemon.connect(seconds: 120)
        try client.send("org.todod.Store.Subscribe", ["kind": "view", "feature": .text(feature)], more: true)
        repeat { try read() } while page != nil
    }

    /// The number of bytes received.
    var bytes: Int { client.bytesReceived }

    func read(through last: Int64) throws {
        while sequence < last { try read() }
    }

    func read() throws {
        let item = try Client.result(client.receive())
        replies += 1
        if let view = item["view"] {
            rowsMax = max(rowsMax, view["rows"]?.list?.count ?? 0)
            var whole = page ?? .record([])
            whole.append(page: view)
            page = whole
            guard item["complete"] == true else { return }
            (screen, page) = (Screen(whole), nil)
        } else {
            for change in item["changes"]?.list ?? [] {
                guard screen.apply(change) else { throw Unexpected("\(change) does not fit") }
            }
        }
        sequence = item["sequence"]?.int ?? -1
    }
}
