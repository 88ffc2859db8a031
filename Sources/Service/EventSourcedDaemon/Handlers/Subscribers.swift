import Synchronization
import TodoAPI

/// Limits the number of open subscriptions in total and per uid.
final class Subscribers: Sendable {
    /// Seconds after which the connection of a subscriber that does not read a pending reply is closed.
    static let stalledSecondsMax = 5.0

    private let countMax: Int
    private let countOfUserMax: Int
    private let counts = Mutex<[UInt32: Int]>([:])

    /// Allows three quarters of the connections to subscribe, so that the others stay free for calls.
    init(connectionsMax: Int, connectionsPerUserMax: Int) {
        countMax = connectionsMax - connectionsMax / 4
        countOfUserMax = connectionsPerUserMax - connectionsPerUserMax / 4
    }

    var count: Int { counts.withLock { $0.values.reduce(0, +) } }

    /// Runs a subscription.
    ///
    /// - Throws: `tooManySubscribers`, and what `body` throws.
    func hold(for uid: UInt32, _ body: () async throws -> Void) async throws {
        try counts.withLock { counts throws(APIError) in
            guard counts[uid, default: 0] < countOfUserMax else { throw .tooManySubscribers(max: countOfUserMax, uid: uid) }
            guard counts.values.reduce(0, +) < countMax else { throw .tooManySubscribers(max: countMax) }
            counts[uid, default: 0] += 1
        }
        defer { counts.withLock { $0[uid] = $0[uid] == 1 ? nil : $0[uid, default: 1] - 1 } }
        try await body()
    }
}
