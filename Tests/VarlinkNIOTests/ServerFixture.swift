import Glibc
import Testing
import Varlink
import VarlinkNIO

/// A server with its own socket that runs for the duration of a closure.
struct ServerFixture {
    let path: String
    let server: VarlinkServer
    let handler: TestHandler

    static let errors = VarlinkErrors(
        tooManyConnections: CallError("org.example.test.TooManyConnections"), stopping: CallError("org.example.test.Stopping"),
        failed: CallError("org.example.test.Failed"))

    static func service() throws -> ServiceDescription {
        try ServiceDescription(
            vendor: "Vendor", product: "Test", version: "1", url: "https://example.org", interfaces: [TestHandler.interface])
    }

    func client() throws -> PlainClient {
        try PlainClient(path: path)
    }

    /// Runs a server and a test against it, then stops the server.
    static func run(
        limits: VarlinkLimits = VarlinkLimits(), handler: TestHandler = TestHandler(), stopsWithin: Duration = .zero,
        _ body: @Sendable (ServerFixture) async throws -> Void
    ) async throws {
        let directory = try temporaryDirectory()
        let path = directory + "/socket"
        defer {
            unlink(path)
            rmdir(directory)
        }
        let server = VarlinkServer(handler: handler, service: try service(), errors: errors, limits: limits)
        let isReady = Signal(false)
        try await withThrowingTaskGroup { group in
            let socket = try listeningSocket(at: path)
            group.addTask {
                try await server.run(on: [socket]) { isReady.change { $0 = true } }
            }
            await isReady.wait { $0 }
            do {
                // The test blocks in reads and must not occupy a thread that the server's streams need.
                try await withTaskExecutorPreference(ThreadExecutor()) {
                    try await body(ServerFixture(path: path, server: server, handler: handler))
                }
            } catch {
                server.stop(within: .zero)
                throw error
            }
            server.stop(within: stopsWithin)
            try await group.waitForAll()
        }
    }

    static func listeningSocket(at path: String) throws -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                bind(descriptor, generic, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0, listen(descriptor, 16) == 0 else { throw PlainClient.SystemError("bind") }
        return descriptor
    }

    static func temporaryDirectory() throws -> String {
        var template = Array("/tmp/varlink-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw PlainClient.SystemError("mkdtemp") }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

extension Call {
    static func test(_ method: String, _ parameters: Value = [:], more: Bool = false, oneway: Bool = false) -> Call {
        Call("org.example.test." + method, parameters.record ?? [], more: more, oneway: oneway)
    }
}

extension Reply {
    static func number(_ n: Int64) -> Reply { Reply([.init("n", .int(n))]) }
}
