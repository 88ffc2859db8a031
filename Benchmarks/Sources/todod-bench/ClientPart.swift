import Foundation

/// The wall time of the client's two most used verbs, from its start to its end.
struct ClientPart {
    let setup: Setup

    func run() throws(BenchmarkError) -> Findings {
        var findings = Findings()
        for todos in [100, 10_000] {
            let data = try setup.folder.make("client-\(todos)")
            defer { setup.folder.remove(data) }
            let daemon = try Daemon(setup, data: data)
            var list = TodoList()
            try list.add(todos, to: daemon.socket)
            let output = setup.folder.sockets.appending(path: "todoctl.out")
            let add = Program([setup.todoctl, "add", "Buy", "the", "milk"], socket: daemon.socket, output: output)
            var show = Program([setup.todoctl, "list"], socket: daemon.socket, output: output)
            // The list is not kept: writing it to a disk is not what is measured.
            show.output = "/dev/null"
            var adds: [Double] = [], lists: [Double] = []
            for _ in 0..<setup.sizes.clientRuns {
                adds.append(try add.time())
                lists.append(try show.time())
            }
            try daemon.stop()
            findings.add("todoctl add, \(todos) todos", Figure.median(adds), "ms")
            findings.add("todoctl list, \(todos) todos", Figure.median(lists), "ms")
            if todos == 100 { findings.add("todoctl add, ms", Figure.median(adds), .atMost(10)) }
        }
        return findings
    }
}
