/// A connection, as the server sees it.
public struct ConnectionStatus: Sendable, Equatable {
    /// Who is at its other end.
    public var peer: Peer
    /// Calls that it has started.
    public var calls: Int
    /// Bytes that wait to be read by the peer.
    public var waitingBytes: Int
    /// Its calls that are answered by a task.
    public var streams: Int
}
