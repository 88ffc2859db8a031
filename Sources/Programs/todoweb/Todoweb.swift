import ArgumentParser
import Glibc
import NIOCore
import NIOPosix
import TodoAPI

/// The web server for the page of a daemon on the same machine.
@main
struct Todoweb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "todoweb",
        abstract: "Serve the page of todoctl web to a browser on this machine.",
        discussion: """
            EXAMPLES:
              todoctl web
              todoweb --socket /run/todod/org.todod.Store --port 8080

            todoctl web finds the daemon and runs this. Anyone who has the printed address gets the rights of its user.
            """,
        version: Release.version)

    @Option(help: ArgumentHelp("The daemon's socket.", valueName: "path"))
    var socket: String

    @Option(help: ArgumentHelp("The port; 0 is a free one.", valueName: "number"))
    var port: Int = 0

    @Flag(help: "Open the page in a browser.")
    var open = false

    @Flag(help: "Refuse calls that may change something.")
    var readOnly = false

    @Flag(help: "Print the address as JSON.")
    var json = false

    func validate() throws {
        guard 0...65_535 ~= port else { throw ValidationError("A port is a number up to 65535.") }
        guard 1...SocketLocation.pathBytesMax ~= socket.utf8.count else {
            throw ValidationError("The path of a socket has at most \(SocketLocation.pathBytesMax) bytes.")
        }
    }

    func run() throws {
        // Writes report a closed connection.
        signal(SIGPIPE, SIG_IGN)
        // Before other threads exist, which would receive the signals.
        var signals = HeldSignals()
        let token = AccessToken()
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let server = try listen(WebService(token: token, isReadOnly: readOnly, socket: socket), on: group)
        let address = "http://127.0.0.1:\(server.port)/#token=\(token.text)"
        print(json ? #"{"address":"\#(address)"}"# : address)
        fflush(nil)
        var redirect = open ? openBrowser(at: address, group) : nil
        while true {
            let signal = signals.next()
            if signal == SIGCHLD {
                do throws(RedirectFile.Closed) { try redirect?.checkStarter() } catch { Self.complain(error.message) }
            } else {
                redirect?.remove()
                signals.pass(signal)
            }
        }
    }

    private func listen(_ service: WebService, on group: any EventLoopGroup) throws -> WebServer {
        do {
            return try WebServer(port: port, on: group, service)
        } catch let error as IOError {
            let reason = String(cString: strerror(error.errnoCode))
            Self.complain("Can't listen on port \(port): \(reason). Choose another --port, or omit it.")
            switch error.errnoCode {
            case EADDRINUSE: throw ExitCode(ExitStatus.tryAgain.rawValue)
            case EACCES, EPERM: throw ExitCode(ExitStatus.notPermitted.rawValue)
            default: throw ExitCode(ExitStatus.inputOutput.rawValue)
            }
        }
    }

    /// Opens a browser; a failure is not fatal.
    private func openBrowser(at address: String, _ group: any EventLoopGroup) -> RedirectFile? {
        do throws(RedirectFile.Closed) {
            var redirect = try RedirectFile(to: address) { name in getenv(name).map { String(cString: $0) } }
            try redirect.open()
            group.next().scheduleTask(in: .seconds(Int64(WebLimits.redirectSecondsMax))) { [redirect] in redirect.remove() }
            return redirect
        } catch {
            Self.complain(error.message)
            return nil
        }
    }

    private static func complain(_ text: String) {
        let line = Array("todoweb: \(text)\n".utf8)
        _ = write(2, line, line.count)
    }
}

/// Blocks the terminating signals and SIGCHLD, and waits for them on a thread.
///
/// Unlike a signal handler, a thread may call any function.
struct HeldSignals {
    private var held = sigset_t()

    /// Blocks the signals in this thread and in those that it creates.
    init() {
        sigemptyset(&held)
        for number in [SIGHUP, SIGINT, SIGTERM, SIGCHLD] { sigaddset(&held, number) }
        pthread_sigmask(SIG_BLOCK, &held, nil)
    }

    mutating func next() -> Int32 {
        var number: Int32 = 0
        while sigwait(&held, &number) != 0 {}
        return number
    }

    /// Unblocks and raises a signal; returns only if the signal is ignored.
    mutating func pass(_ number: Int32) {
        var one = sigset_t()
        sigemptyset(&one)
        sigaddset(&one, number)
        pthread_sigmask(SIG_UNBLOCK, &one, nil)
        raise(number)
        pthread_sigmask(SIG_BLOCK, &held, nil)
    }
}
