/// How much the server takes and keeps; each limit is there so that no request costs more than it may.
enum WebLimits {
    /// Bytes of a request's body: the parameters of a call.
    static let bodyBytesMax = 1 << 20
    /// Bytes of all header fields of a request, and of one.
    static let headerBytesMax = 16 << 10
    /// Header fields of a request.
    static let headerFieldsMax = 64
    /// Bytes of the name of a method, with its interface.
    static let methodBytesMax = 255
    /// Connections at once on which the token was shown; one more is closed without a word.
    static let connectionsMax = 64
    /// Others at once; for one more the one goes that has done nothing for longest.
    static let strangersMax = 32
    /// Seconds within which a connection has to bring its next request, whole.
    static let requestSecondsMax = 60
    /// The same of a connection that has made no call yet.
    static let strangerSecondsMax = 5
    /// Seconds within which a client has to make room again, and to take what is left of an answer that is complete.
    static let unreadSecondsMax = 120
    /// Seconds until the daemon has to take a connection.
    static let connectSecondsMax = 5
    /// Bytes of one reply of the daemon, as its other clients take.
    static let replyBytesMax = 64 << 20
    /// Bytes that wait to be read by the client before nothing more is read from the daemon, and below which it is again.
    static let unreadBytesMax = 256 << 10
    static let unreadBytesMin = 64 << 10
    /// Seconds for which a client that was refused may go on writing before it is cut off.
    static let lingerSecondsMax = 1
    /// Connections that wait to be taken.
    static let backlogMax = 64
    /// Seconds for which the file lies there that leads a browser here.
    static let doorSecondsMax = 60
}
