import Foundation

/// The wall time of the client's most used verbs, from its start to its end.
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
        try show(&findings)
        try filter(&findings)
        return findings
    }

    /// A few of very many, found by what a person says of them.
    private func filter(_ findings: inout Findings) throws(BenchmarkError) {
        let data = try setup.folder.make("filter")
        defer { setup.folder.remove(data) }
        let daemon = try Daemon(setup, data: data)
        var list = TodoList()
        let todos = setup.sizes.typedTodos
        try list.add(todos, tags: ["home", "work", "garden"], to: daemon.socket)
        let output = setup.folder.sockets.appending(path: "todoctl.out")
        let filters = [
            ["text:\(todos / 2)"], ["milk", "title:\(todos / 10)", "due:none"], ["+garden", "bread"], ["due:today"],
        ]
        var slowest = 0.0
        for filter in filters {
            let verb = Program([setup.todoctl, "list"] + filter, socket: daemon.socket, output: output)
            var times: [Double] = []
            for _ in 0..<setup.sizes.clientRuns { times.append(try verb.time()) }
            slowest = max(slowest, Figure.median(times))
        }
        try daemon.stop()
        findings.add("todoctl list with a filter, \(todos) todos, slowest of \(filters.count)", slowest, .atMost(30))
    }

    /// One todo of ten and one of very many, in turn.
    private func show(_ findings: inout Findings) throws(BenchmarkError) {
        let counts = (few: 10, many: setup.sizes.longList)
        let folders = (few: try setup.folder.make("show-few"), many: try setup.folder.make("show-many"))
        defer {
            setup.folder.remove(folders.few)
            setup.folder.remove(folders.many)
        }
        let few = try Daemon(setup, data: folders.few), many = try Daemon(setup, data: folders.many)
        var lists = (few: TodoList(), many: TodoList())
        try lists.few.add(counts.few, to: few.socket)
        try lists.many.add(counts.many, to: many.socket)
        let output = setup.folder.sockets.appending(path: "todoctl.out")
        let ofFew = Program([setup.todoctl, "show", "\(counts.few / 2)"], socket: few.socket, output: output)
        let ofMany = Program([setup.todoctl, "show", "\(counts.many / 2)"], socket: many.socket, output: output)
        var times: (few: [Double], many: [Double]) = ([], [])
        for _ in 0..<setup.sizes.clientRuns {
            times.few.append(try ofFew.time())
            times.many.append(try ofMany.time())
        }
        try few.stop()
        try many.stop()
        findings.add("todoctl show, \(counts.few) todos", Figure.median(times.few), "ms")
        findings.add("todoctl show, \(counts.many) todos", Figure.median(times.many), "ms")
        findings.add(
            "todoctl show, with \(counts.many) / with \(counts.few) todos",
            Figure.median(times.many) / Figure.median(times.few), .atMost(2))
    }
}
