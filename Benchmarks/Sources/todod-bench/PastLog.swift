import CLoad
import Foundation

/// A long log over a short list, to be looked into.
struct PastLog {
    let setup: Setup
    /// Todos that are live in it.
    let todos: Int
    /// What is done to them.
    let actions: Int
    /// Actions in one dispatch.
    let batch: Int
    var removal = TodoList.Removal.oldest

    /// Makes it in an empty directory, with all that is kept along it; the answer is actions a second.
    func fill(_ data: URL) throws(BenchmarkError) -> Double {
        let daemon = try Daemon(setup, data: data)
        var list = TodoList(removing: removal)
        try list.add(todos, to: daemon.socket)
        let start = cload_now()
        try list.live(actions, batch: batch, on: daemon.socket)
        let seconds = Double(cload_now() - start) / 1e9
        try daemon.stop()
        try settle(data)
        return Double(actions) / seconds
    }

    /// What could not be kept in step is written after a start; measured is what comes later.
    func settle(_ data: URL) throws(BenchmarkError) {
        Progress.say("  notes all along it")
        let daemon = try Daemon(setup, data: data)
        var last = -1.0
        while case let found = bytes(of: data), found.snapshots + found.places != last {
            last = found.snapshots + found.places
            sleep(10)
        }
        try daemon.stop()
    }

    /// What the log takes on the disk, what the snapshots for travellers and the checks do, and what says which places were touched.
    func bytes(of data: URL) -> (log: Double, snapshots: Double, places: Double) {
        let names = FileManager.default.enumerator(atPath: data.path)?.compactMap { $0 as? String } ?? []
        var (log, snapshots, places) = (0.0, 0.0, 0.0)
        for name in names {
            var status = stat()
            guard stat(data.appending(path: name).path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
            let bytes = Double(status.st_blocks) * 512
            if name.hasPrefix("travel/places-") {
                places += bytes
            } else if name.hasPrefix("travel/") {
                snapshots += bytes
            } else {
                log += bytes
            }
        }
        return (log, snapshots, places)
    }
}
