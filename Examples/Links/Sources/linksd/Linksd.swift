import ChronicleDaemon
import LinkFeatures

/// Keeps links, checks them, and serves them on a socket.
@main enum Linksd: DaemonProgram {
    typealias App = LinkApp
    static let program = Program(
        name: "linksd", version: "1.0.0", abstract: "Keeps links, and checks that they can be reached.",
        interfaces: "org.example.links")

    static func target(_ configuration: Configuration, environment: [String: String]) -> LinkChecker { LinkChecker() }
}

extension LinkApp: DaemonApp {}
