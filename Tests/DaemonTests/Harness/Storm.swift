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
}
