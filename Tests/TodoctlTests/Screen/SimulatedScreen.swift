import Chronicle
import Dates
import Terminal
import TestSupport
import TodoAPI
import Varlink

@testable import todoctl

/// A screen without a terminal and a daemon: keys in, lines of text out.
///
/// Its requests are recorded.
struct SimulatedScreen {
    /// Saturday 21 November 2026, 10:00 in Berlin.
    static let saturday: Int64 = 1_795_251_600_000_000

    var model: ScreenModel
    /// The requests since this was emptied.
    var requests: [ScreenRequest] = []
    /// The epoch of the daemon's log.
    var epoch: Int64 = 1
    private var sequence: Int64 = 10

    init(columns: Int = 80, rows: Int = 24, features: [String] = ["Counter", "Alerts", "Todos", "Flows", "Posts"]) {
        model = ScreenModel(
            .init(zone: .berlin, random: 7), size: Size(columns: columns, rows: rows), now: Self.saturday)
        requests = model.start()
        tell(.connected)
        let names = features.map { Value.text("org.todod.feature." + $0) }
        tell(.reply(RequestTag(.tabs, ScreenModel.featuresCall), Self.reply(["interfaces": .list(names)])))
    }

    /// Delivers events as the shell does.
    mutating func tell(_ events: ScreenEvent...) { requests += model.update(all: events) }

    mutating func press(_ keys: ScreenKey...) { for key in keys { tell(.key(key)) } }

    /// Types each character of a text.
    mutating func type(_ text: String) { for character in text { press(.character(character)) } }

    /// Delivers all todos.
    mutating func load(_ items: [Value]) {
        tell(.reply(RequestTag(.list, ScreenModel.todosCall), item(["state": ["todos": ["items": .list(items)]]])))
    }

    /// Delivers changes of the todos from a dispatch with a key.
    mutating func change(_ changes: [Change], key: String = "another") {
        let record: Value = [
            "sequence": .int(sequence), "time": 1, "kind": "action", "origin": 1, "step": 1, "key": .text(key), "build": 1,
            "commands": [],
        ]
        let more: Value = ["changes": .list(changes.map(\.value)), "records": .list([record])]
        tell(.reply(RequestTag(.list, ScreenModel.todosCall), item(more)))
    }

    /// Delivers the changes of a redaction, which is not a record.
    mutating func redact(_ changes: [Change]) {
        sequence -= 1
        tell(.reply(RequestTag(.list, ScreenModel.todosCall), item(["changes": .list(changes.map(\.value))])))
    }

    /// Delivers the view of a feature.
    mutating func show(_ feature: String, _ view: Value) {
        guard let index = model.tabs.firstIndex(where: { $0.name == feature }) else { return }
        tell(.reply(RequestTag(.tabs, ScreenModel.firstView + index), item([model.isOneFeature ? "state" : "view": view])))
    }

    /// Answers the last dispatch.
    mutating func answerDispatch(ids: [Int64] = []) {
        guard let (tag, _) = dispatches.last else { return }
        let answer: Value = [
            "epoch": 1, "sequences": .list([.int(sequence)]), "ids": .list(ids.map(Value.int)), "duplicate": false,
            "presentations": [],
        ]
        tell(.reply(tag, Self.reply(answer)))
    }

    /// The requested dispatches with their actions.
    var dispatches: [(tag: RequestTag, actions: [Value])] {
        requests.compactMap { request in
            guard case .call(let tag, let call) = request, call.method == DispatchMethod.name else { return nil }
            let bytes = Array(call.frame.dropLast())
            let frame = try? Value(parsing: bytes.span)
            return (tag, frame?["parameters"]?["actions"]?.list ?? [])
        }
    }

    /// The parameters of the last dispatch.
    var dispatched: Value? {
        for case .call(_, let call) in requests.reversed() where call.method == DispatchMethod.name {
            return (try? Value(parsing: Array(call.frame.dropLast()).span))?["parameters"]
        }
        return nil
    }

    /// Refuses the last dispatch.
    mutating func refuseDispatch(_ error: CallError) {
        guard let (tag, _) = dispatches.last else { return }
        tell(.reply(tag, ScreenReply(result: .failure(Failure(error, socket: "s")))))
    }

    /// The methods of the requests.
    var methods: [String] {
        requests.compactMap { if case .call(_, let call) = $0 { call.method } else { nil } }
    }

    var lines: [String] { model.render().lines }
    var text: String { lines.joined(separator: "\n") }
    /// The input line.
    var typed: String { lines[ScreenRegions(model.size).line.row] }

    static func reply(_ value: Value, continues: Bool = false) -> ScreenReply {
        ScreenReply(result: .success(value.record ?? []), continues: continues)
    }

    private mutating func item(_ more: Value) -> ScreenReply {
        sequence += 1
        var fields: [Value.Field] = [
            .init("epoch", .int(epoch)), .init("sequence", .int(sequence)), .init("time", .int(Self.saturday)),
            .init("complete", true),
        ]
        if more["records"] == nil { fields.append(.init("records", [])) }
        fields += [.init("commands", []), .init("skipped", 0)]
        return Self.reply(.record(fields + (more.record ?? [])), continues: true)
    }
}

extension Value {
    /// A todo in the form of the daemon.
    static func todo(_ id: Int64, _ title: String, _ more: [Value.Field] = []) -> Value {
        .record([.init("id", .int(id)), .init("title", .text(title)), .init("created", .int(SimulatedScreen.saturday))] + more)
    }

    static func todo(_ id: Int64, _ title: String, due: String) -> Value { todo(id, title, [.init("due", .text(due))]) }
}
