import TodoClient
import Varlink

/// Many dispatches at once.
enum Storm {
    /// Dispatches so often, 64 on their way, and waits for the last answer.
    static func dispatch(_ count: Int, over client: Client, text: String = "storm") throws {
        var (sent, answered) = (0, 0)
        while answered < count {
            while sent < count, sent - answered < 64 {
                try client.send("org.todod.Store.Dispatch", Client.dispatch([Actions.text("\(sent) \(text)")]))
                sent += 1
            }
            _ = try Client.result(client.receive())
            answered += 1
        }
    }

    /// Four clients that each dispatch 300 batches of two, under keys; whoever wants their end takes their values.
    static func writers(on socket: String) -> [Background<Void>] {
        (0..<4).map { writer in
            Background {
                let client = try Client(socket, seconds: 60)
                for number in 0..<300 {
                    try client.dispatch([Actions.increment, Actions.text("\(writer) \(number)")], key: "\(writer) \(number)")
                }
            }
        }
    }
}
