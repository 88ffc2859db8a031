import Glibc
import ProcessTesting
import Testing

/// Checks that the cuts of the fault tests work.
@Suite(.ownThreads, .enabled(if: Network.works, "\(Network.missing)")) struct NetworkTests {
    enum Cut: CaseIterable, Sendable { case sender, receiver, way, wayBack }

    @Test(arguments: Cut.allCases) func `packets into a cut are lost silently, and arrive once it is repaired`(
        cut: Cut
    ) throws {
        let network = try Network(hosts: 3)
        let (sender, receiver) = try connection(network)
        defer { for descriptor in [sender, receiver] { close(descriptor) } }
        #expect(try arrives(sender, receiver, seconds: 10))
        switch cut {
        case .sender: try network.isolate(0)
        case .receiver: try network.isolate(1)
        case .way: try network.cut(from: 0, to: 1)
        case .wayBack: try network.cut(from: 1, to: 0)
        }
        // If only the answer is lost, requests still arrive.
        #expect(try arrives(sender, receiver, seconds: 0.5) == (cut == .wayBack))
        try network.heal()
        #expect(try arrives(sender, receiver, seconds: 20))
    }

    @Test func `other hosts reach each other despite a cut`() throws {
        let network = try Network(hosts: 3)
        try network.isolate(2)
        let (sender, receiver) = try connection(network)
        defer { for descriptor in [sender, receiver] { close(descriptor) } }
        #expect(try arrives(sender, receiver, seconds: 10))
    }

    /// A connection from the first host to the second.
    private func connection(_ network: Network) throws -> (sender: Int32, receiver: Int32) {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let (listener, sender) = (
            try network.on(1) { socket(AF_INET, kind, 0) }, try network.on(0) { socket(AF_INET, kind, 0) }
        )
        defer { close(listener) }
        let isListening = network.hosts[1].withAddress(port: 7) { bind(listener, $0, $1) == 0 && listen(listener, 1) == 0 }
        guard isListening, network.hosts[1].withAddress(port: 7, { connect(sender, $0, $1) }) == 0 else {
            throw SystemFailure(what: "connect")
        }
        return (sender, accept(listener, nil, nil))
    }

    /// Whether a byte arrives within the time after it was sent.
    private func arrives(_ sender: Int32, _ receiver: Int32, seconds: Double) throws -> Bool {
        guard send(sender, "x", 1, Int32(MSG_NOSIGNAL)) == 1 else { throw SystemFailure(what: "send") }
        guard try Deadline(seconds: seconds).awaitReadable(receiver) else { return false }
        var piece = [UInt8](repeating: 0, count: 16)
        return recv(receiver, &piece, piece.count, 0) > 0
    }
}
