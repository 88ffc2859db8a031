import TodoClient
import Varlink

/// Many concurrent dispatches.
enum Storm {
    /// Dispatches a number of times, 64 in flight, and waits for the last answer.
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

    /// Four clients that each dispatch 300 batches of two with keys.
    ///
    /// Reading their values waits for their end.
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
