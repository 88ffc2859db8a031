public import Varlink

/// One JSON object of the wire: the input or output of a method, or a type within them.
public protocol Message: Sendable, Equatable {
    /// The names of its fields, in the order of the interface description.
    static var fieldNames: [String] { get }

    /// Reads the members of an object.
    ///
    /// - Throws: `APIError.invalidParameter` naming the field that is missing or of another type.
    init(_ fields: ObjectReader) throws(APIError)

    /// Writes the fields, in the order of the interface description.
    func write(fields writer: inout ObjectWriter)
}

extension Message {
    /// Reads what a client sent: a field that the interface does not have is an error.
    ///
    /// - Throws: `APIError.invalidParameter` naming the field.
    public init(input members: [Value.Field]) throws(APIError) {
        self = try ObjectReader(members, unknownFields: .refused).message()
    }

    /// Reads what a daemon sent: fields of a newer daemon are passed over.
    ///
    /// - Throws: `APIError.invalidParameter` naming the field that is missing or of another type.
    public init(output members: [Value.Field]) throws(APIError) {
        self = try ObjectReader(members, unknownFields: .ignored).message()
    }

    /// Appends the message as a JSON object.
    public func write(into bytes: inout [UInt8]) {
        var taken: [UInt8] = []
        swap(&taken, &bytes)
        var writer = ObjectWriter(after: taken)
        taken = []
        writer.object { write(fields: &$0) }
        bytes = writer.bytes
    }
}

/// A method of one of the interfaces.
public protocol Method: Sendable {
    /// Its parameters.
    associatedtype Input: Message
    /// The parameters of its reply, or of each of its replies.
    associatedtype Output: Message
    /// Its full name: `org.todod.Store.Dispatch`.
    static var name: String { get }
}

/// The input of a method without parameters.
public struct NoFields: Message {
    public static var fieldNames: [String] { [] }
    /// Makes the only one there is.
    public init() {}
    /// Reads nothing.
    public init(_ fields: ObjectReader) throws(APIError) {}
    /// Writes nothing.
    public func write(fields writer: inout ObjectWriter) {}
}
