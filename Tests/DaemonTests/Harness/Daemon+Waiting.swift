import TodoClient
import Varlink

extension Daemon {
    /// Waits until a scope of the state meets a condition, checking after each change, and returns it.
    @discardableResult
    func state(_ scope: String, seconds: Double = 60, until isWanted: (Value) -> Bool) throws -> Value {
        let watcher = try connect(seconds: seconds)
        let reader = try connect()
        try watcher.send("org.todod.Store.Subscribe", ["scope": .text(scope)], more: true)
        while true {
            _ = try Client.result(watcher.receive())
            let state = try reader.state(scope)
            if isWanted(state) { return state }
        }
    }

    /// The open commands as the daemon lists them.
    func commands() throws -> [Value] {
        try connect().call("org.todod.Admin.Commands")["commands"]?.list ?? []
    }
}
