import Chronicle
import Glibc

/// Runs a job by sending a line to a socket, one connection each, and waiting for a line.
struct SocketTarget: CommandTarget {
    let path: String

    func perform(_ command: Jobs.Command, _ ticket: CommandTicket) async throws(CommandFailure) -> Jobs.Action? {
        let answer = try tell("\(ticket.id) \(ticket.attempt) \(command.job.text)\n")
        let words = answer.split(separator: " ")
        guard words.first != "busy" else {
            let pause = words.dropFirst().first.flatMap { Int64($0) }
            throw CommandFailure("busy", retryAfter: pause.map { .milliseconds($0) })
        }
        return .done(command.job.text)
    }

    // Blocks a thread of the pool, which nothing else in this program needs.
    private func tell(_ line: String) throws(CommandFailure) -> String {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw CommandFailure("no socket") }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard connected == 0, send(descriptor, line, line.utf8.count, Int32(MSG_NOSIGNAL)) == line.utf8.count else {
            throw CommandFailure("no listener")
        }
        var answer = [UInt8](repeating: 0, count: 256)
        let count = read(descriptor, &answer, answer.count)
        guard count > 0 else { throw CommandFailure("no answer") }
        return String(decoding: answer[..<count].prefix { $0 != 0x0A }, as: UTF8.self)
    }
}
