/// Lists who is connected.
public enum ClientsMethod: Method {
    /// Its full name.
    public static let name = "org.todod.Admin.Clients"

    /// The most connections that are listed.
    public static let clientsMax = 8192

    /// Nothing is asked.
    public typealias Input = NoFields

    /// What is answered.
    public struct Output: Message {
        /// The connections, those with the most waiting bytes and calls first.
        public var clients: [ClientMessage]

        /// Makes one.
        public init(clients: [ClientMessage]) { self.clients = clients }

        /// The fields in order.
        public static let fieldNames = ["clients"]

        /// Reads the fields.
        public init(_ fields: FieldReader) throws(APIError) { clients = try fields.messages("clients") }

        /// Writes the fields.
        public func write(fields writer: inout ObjectWriter) { writer.field("clients", clients) }
    }
}
