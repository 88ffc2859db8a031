/// An error reply: its qualified name and its parameters.
///
/// The errors of `org.varlink.service` are defined here; each interface defines its own.
public struct CallError: Error, Sendable, Equatable {
    /// The qualified name: interface, dot, error.
    public var name: String
    /// The parameters in wire order.
    public var parameters: [Value.Field]

    public init(_ name: String, _ parameters: [Value.Field] = []) {
        self.name = name
        self.parameters = parameters
    }
}

extension CallError {
    /// The service doesn't implement this interface.
    public static func interfaceNotFound(_ interface: String) -> CallError {
        CallError("org.varlink.service.InterfaceNotFound", [.init("interface", .text(interface))])
    }

    /// The interface doesn't define this method, which is given by its qualified name.
    public static func methodNotFound(_ method: String) -> CallError {
        CallError("org.varlink.service.MethodNotFound", [.init("method", .text(method))])
    }

    /// The interface defines this method, but the service doesn't implement it.
    public static func methodNotImplemented(_ method: String) -> CallError {
        CallError("org.varlink.service.MethodNotImplemented", [.init("method", .text(method))])
    }

    /// A parameter is unknown, missing or of the wrong type.
    public static func invalidParameter(_ parameter: String) -> CallError {
        CallError("org.varlink.service.InvalidParameter", [.init("parameter", .text(parameter))])
    }

    /// The caller is not authorized.
    public static let permissionDenied = CallError("org.varlink.service.PermissionDenied")

    /// The method returns a stream but was called without `more`.
    public static let expectedMore = CallError("org.varlink.service.ExpectedMore")
}
