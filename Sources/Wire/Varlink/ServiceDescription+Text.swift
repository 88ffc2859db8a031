extension ServiceDescription {
    /// The interface that every Varlink service has, as varlink.org describes it.
    public static let text = """
        # The Varlink Service Interface is provided by every varlink service. It
        # describes the service and the interfaces it implements.
        interface org.varlink.service

        # Get a list of all the interfaces a service provides and information
        # about the implementation.
        method GetInfo() -> (
          vendor: string,
          product: string,
          version: string,
          url: string,
          interfaces: []string
        )

        # Get the description of an interface that is implemented by this service.
        method GetInterfaceDescription(interface: string) -> (description: string)

        # The requested interface was not found.
        #
        # Cause: a misspelt name, or a service of another version.
        error InterfaceNotFound (interface: string)

        # The requested method was not found
        #
        # Cause: a misspelt name, or a service of another version.
        error MethodNotFound (method: string)

        # The interface defines the requested method, but the service does not
        # implement it.
        #
        # Cause: a service that is older than its description.
        error MethodNotImplemented (method: string)

        # One of the passed parameters is invalid.
        #
        # Cause: a misspelt name, a value of another type, or one that is missing.
        error InvalidParameter (parameter: string)

        # Client is denied access
        #
        # Cause: a call of somebody whom the service does not let do this.
        # Remedy: ask who administers the service for the right.
        error PermissionDenied ()

        # Method is expected to be called with 'more' set to true, but wasn't
        #
        # Cause: a method that answers in several replies was called as one that answers once.
        # Remedy: call it with 'more'.
        error ExpectedMore ()

        """
}
