/// An error reply: its full name and its parameters.
///
/// The errors that the protocol itself defines, in `org.varlink.service`, have functions here; an interface adds its own.
public struct CallError: Error, Sendable, Equatable {
    /// The full name: interface, dot, error.
    public var name: String
    /// The parameters in the order in which they are written.
    public var parameters: [Value.Field]

    /// Names an error of any interface.
    public init(_ name: String, _ parameters: [Value.Field] = []) {
        self.name = name
        self.parameters = parameters
    }
}

extension CallError {
    /// The service doesn't have this interface.
    public static func interfaceNotFound(_ interface: String) -> CallError {
        CallError("org.varlink.service.InterfaceNotFound", [.init("interface", .text(interface))])
    }

    /// The interface doesn't have this method; it is named with its interface.
    public static func methodNotFound(_ method: String) -> CallError {
        CallError("org.varlink.service.MethodNotFound", [.init("method", .text(method))])
    }

    /// The interface has this method, the service doesn't offer it.
    public static func methodNotImplemented(_ method: String) -> CallError {
        CallError("org.varlink.service.MethodNotImplemented", [.init("method", .text(method))])
    }

    /// A parameter is unknown, missing or of the wrong kind.
    public static func invalidParameter(_ parameter: String) -> CallError {
        CallError("org.varlink.service.InvalidParameter", [.init("parameter", .text(parameter))])
    }

    /// The caller may not do this.
    public static let permissionDenied = CallError("org.varlink.service.PermissionDenied")

    /// The method answers with a stream and was called without `more`.
    public static let expectedMore = CallError("org.varlink.service.ExpectedMore")
}
