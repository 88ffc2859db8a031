import Glibc
import NIOPosix
import Synchronization

/// How the addresses of a host are found and checked.
struct Hosts: Sendable {
    /// The addresses of a host in numbers, the one to try first in front; throws ``UnknownHost``.
    var addresses: @Sendable (String) async throws -> [String]
    /// What an address is part of.
    var zone: @Sendable (String) -> NetworkZone

    /// Nobody knows the name.
    struct UnknownHost: Error {}

    /// As the system does it.
    static let system = Hosts(addresses: Self.lookUp, zone: NetworkZone.init(of:))

    /// Asks the system, which takes its time and can't be interrupted; a cancelled caller does not wait for it.
    private static func lookUp(_ host: String) async throws -> [String] {
        let waiting = Mutex<CheckedContinuation<[String], any Error>?>(nil)
        let resume = { @Sendable (result: Result<[String], any Error>) in
            let continuation = waiting.withLock { waiting in
                defer { waiting = nil }
                return waiting
            }
            continuation?.resume(with: result)
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                waiting.withLock { $0 = continuation }
                if Task.isCancelled { return resume(.failure(CancellationError())) }
                NIOThreadPool.singleton.submit { _ in
                    let addresses = Self.system(host)
                    resume(addresses.isEmpty ? .failure(UnknownHost()) : .success(addresses))
                }
            }
        } onCancel: {
            resume(.failure(CancellationError()))
        }
    }

    private static func system(_ host: String) -> [String] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var first = hints.ai_next
        guard getaddrinfo(host, nil, &hints, &first) == 0 else { return [] }
        defer { freeaddrinfo(first) }
        var addresses: [String] = []
        var next = first
        while let entry = next?.pointee {
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            let code = getnameinfo(entry.ai_addr, entry.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
            let address = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            if code == 0, !addresses.contains(address) { addresses.append(address) }
            next = entry.ai_next
        }
        return addresses
    }
}
