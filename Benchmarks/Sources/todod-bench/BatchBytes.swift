/// How many bytes the batches of a shared log have, as a daemon writes them.
struct BatchBytes {
    /// Those of the head.
    let head: Int
    /// Those of a batch of one dispatch.
    let one: Int
    /// Those that each further dispatch adds.
    let further: Double
    /// How many dispatches a batch has with 64 connections.
    let dispatches: Double

    private static let batches = "\(Cluster.prefix)log/"
    // What follows "/" in ASCII.
    private static let batchesEnd = "\(Cluster.prefix)log0"

    /// Has some written on the first machine, and looks at what the members have of them.
    init(_ texts: ActionTexts, _ cluster: Cluster, _ gateway: EtcdGateway) throws(BenchmarkError) {
        let socket = cluster.daemons[0].socket
        _ = try Load(calls: 10).run(texts, on: socket)
        guard let last = try gateway.entries(from: Self.batches, upTo: Self.batchesEnd, last: true).first,
            let value = last.value, let head = try gateway.value(of: "\(Cluster.prefix)head")
        else { throw BenchmarkError("the members have no batch of the log") }
        let calls = 6400
        _ = try Load(connections: 64, calls: calls).run(texts, on: socket)
        let key = String(decoding: last.key, as: UTF8.self)
        // The first key behind it.
        let found = try gateway.entries(from: "\(key)\0", upTo: Self.batchesEnd)
        let bytes = found.reduce(0) { $0 + ($1.value?.count ?? 0) }
        guard !found.isEmpty, found.count < calls else { throw BenchmarkError("\(calls) dispatches made \(found.count) batches") }
        one = value.count
        further = Double(bytes - found.count * one) / Double(calls - found.count)
        dispatches = Double(calls) / Double(found.count)
        self.head = head.count
    }

    /// Those of a batch of so many dispatches.
    func bytes(of dispatches: Int) -> Int { one + Int(Double(dispatches - 1) * further) }
}
