/// The limits of the server, which bound the cost of each request.
enum WebLimits {
    static let bodyBytesMax = 1 << 20
    /// Bytes of all header fields together.
    static let headerBytesMax = 16 << 10
    static let headerFieldsMax = 64
    static let methodBytesMax = 255
    /// Connections with the token; further ones are closed.
    static let connectionsMax = 64
    /// Connections without the token; a further one replaces the least recently active.
    static let unauthenticatedMax = 32
    /// Seconds for the next complete request.
    static let requestSecondsMax = 60
    /// The same for a connection without the token.
    static let unauthenticatedSecondsMax = 5
    /// Seconds for the client to read the buffered or final part of a response.
    static let unreadSecondsMax = 120
    static let connectSecondsMax = 5
    static let replyBytesMax = 64 << 20
    /// Bytes of unread replies above which reading from the daemon pauses.
    static let unreadBytesMax = 256 << 10
    static let unreadBytesMin = 64 << 10
    /// Seconds for which a refused client may continue writing.
    static let lingerSecondsMax = 1
    static let backlogMax = 64
    /// Seconds until the browser's file is removed.
    static let redirectSecondsMax = 60
}
