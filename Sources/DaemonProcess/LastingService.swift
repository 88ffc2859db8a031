public import ServiceLifecycle

/// A part of the daemon that must last as long as the daemon: that it ends by itself is a failure.
public struct LastingService: Service {
    private let service: any Service

    /// Takes the part.
    public init(_ service: any Service) { self.service = service }

    /// Runs it.
    ///
    /// - Throws: what it throws, and `StartFailure` with status 70 when it ends although nobody stops the daemon.
    public func run() async throws {
        try await service.run()
        guard Task.isShuttingDownGracefully || Task.isCancelled else {
            throw StartFailure(.software, "\(type(of: service)) has ended, and nobody asked it to. The daemon ends with it.")
        }
    }
}
