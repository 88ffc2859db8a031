internal import NIOCore
internal import NIOSSL

extension EtcdOptions.Certificates {
    var configuration: TLSConfiguration {
        get throws(EtcdError) {
            var configuration = TLSConfiguration.makeClientConfiguration()
            if let authorities {
                configuration.trustRoots = .file(authorities)
                do { _ = try NIOSSLContext(configuration: configuration) } catch {
                    throw .untrusted(.authorities, "\(authorities) can't be read, or is no PEM file of certificates")
                }
            }
            guard let own else { return configuration }
            do {
                configuration.certificateChain = try NIOSSLCertificate.fromPEMFile(own.certificate).map { .certificate($0) }
                configuration.privateKey = .privateKey(try NIOSSLPrivateKey(file: own.key, format: .pem))
            } catch {
                throw .untrusted(.certificate, "\(own.certificate) or \(own.key) can't be read, or is no PEM file")
            }
            // Nobody else looks at both together before the first connection.
            do { _ = try NIOSSLContext(configuration: configuration) } catch {
                throw .untrusted(.certificate, "\(own.key) is not the key of the certificate \(own.certificate)")
            }
            return configuration
        }
    }

    /// Refuses files that can't be read, or don't belong together; asks nobody.
    public func check() throws(EtcdError) { _ = try configuration }
}

extension TLSConfiguration {
    /// What TLS of a connection of HTTP/2 needs.
    var contextOfRPC: NIOSSLContext {
        get throws(EtcdError) {
            var configuration = self
            configuration.applicationProtocols = [RPCConnection.protocolName]
            // A member that is silent takes no leave either.
            configuration.shutdownTimeout = .seconds(1)
            do { return try NIOSSLContext(configuration: configuration) } catch {
                throw .untrusted(.certificate, "the certificates can't be used")
            }
        }
    }
}
