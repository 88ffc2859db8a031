import Chronicle
import Terminal
import TodoAPI
import Varlink

@testable import todoctl

extension SimulatedScreen {
    /// The last call of each number since `requests` was emptied.
    func call(_ number: Int) -> Value? {
        for case .call(let tag, let call) in requests.reversed()
        where tag.part == .time && tag.number % TimeCall.roundNumbers == number {
            return (try? Value(parsing: Array(call.frame.dropLast()).span))?["parameters"]
        }
        return nil
    }

    mutating func answer(_ number: Int, _ value: Value, continues: Bool = false) {
        tell(.reply(RequestTag(.time, number), Self.reply(value, continues: continues)))
    }

    static func record(_ sequence: Int64, step: Int64? = nil, action: Value? = nil) -> Value {
        var fields: [Value.Field] = [
            .init("sequence", .int(sequence)), .init("time", .int(saturday - 3_600_000_000)), .init("kind", "action"),
            .init("origin", 0), .init("step", .int(step ?? sequence)), .init("build", 1), .init("commands", []),
        ]
        if let action { fields.append(.init("action", action)) }
        return .record(fields)
    }

    /// Goes back by a step and answers its requests.
    mutating func goBack(_ changes: [Change] = []) {
        press(.left)
        if model.time.seek != nil {
            answer(TimeCall.seek, ["records": .list((1...11).map { Self.record($0) })])
        }
        answerMoment(changes)
    }

    mutating func answerMoment(_ changes: [Change] = []) {
        guard let round = model.time.rounds.first(where: { $0.awaited.contains(TimeCall.record) }) else { return }
        let moment = round.moment
        answer(
            round.base + TimeCall.state, ["from": 0, "to": .int(Int64(moment)), "changes": .list(changes.map(\.value))])
        let action: Value = ["todos": ["complete": ["id": 1]]]
        answer(
            round.base + TimeCall.record,
            [
                "records": .list([Self.record(Int64(moment), action: action)]),
                "details": .list([["first": .int(Int64(moment)), "changes": .list(changes.map(\.value))]]),
            ])
    }
}
