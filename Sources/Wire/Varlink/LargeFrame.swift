/// A frame that is too large to be read while other connections wait.
public struct LargeFrame: Sendable {
    /// By which the end of its call is told.
    public let id: ConnectionState.CallID
    /// The frame without its NUL.
    public let bytes: [UInt8]

    let depthMax: Int
    let plainReader: ConnectionState.PlainReader?

    /// Reads it, which takes as long as that takes.
    ///
    /// - Throws: `org.varlink.service.InvalidParameter`, whose parameter says what is wrong with the frame.
    public func request() throws(CallError) -> ConnectionState.Request {
        try ConnectionState.request(of: bytes.span, depthMax, plainReader).get()
    }
}
