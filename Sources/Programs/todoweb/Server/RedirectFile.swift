import Glibc
import TodoAPI

/// A private file that redirects a browser to the page.
///
/// Every user can read the command line of a browser, so it must not contain the token. It contains the name of this file
/// instead.
struct RedirectFile {
    /// In the user's runtime directory.
    let path: String
    private var starter: pid_t?

    /// Why no browser was opened, as a sentence.
    struct Closed: Error {
        let message: String
    }

    /// Creates the file and replaces a stale one; the name is unique among running servers.
    init(to address: String, environment: (String) -> String?) throws(Closed) {
        guard geteuid() != 0 else { throw Closed(message: "As root no browser is started: open the address yourself.") }
        let location = SocketLocation(environment: environment, uid: getuid())
        do throws(SocketLocation.Distrust) {
            try location.make(uid: getuid())
        } catch {
            throw Closed(message: error.message)
        }
        path = location.runtimeDirectory + "/todoweb-\(getpid()).html"
        unlink(path)
        let descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.closed("\(path) can't be made", errno) }
        defer { close(descriptor) }
        let page = Array(Self.page(to: address).utf8)
        guard write(descriptor, page, page.count) == page.count else { throw Self.closed("\(path) can't be written", errno) }
    }

    mutating func open() throws(Closed) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor: Int32 in 0...2 { posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // The child must not inherit the blocked signals.
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        let command = ["xdg-open", path]
        var arguments = command.map { strdup($0) } + [nil]
        defer { for text in arguments { free(text) } }
        var pid: pid_t = 0
        let number = posix_spawnp(&pid, "xdg-open", &actions, &attributes, &arguments, environ)
        guard number == 0 else {
            remove()
            throw Self.closed("xdg-open can't be run", number)
        }
        starter = pid
    }

    /// Checks whether the starter has ended, and how; it may run as long as the browser.
    mutating func checkStarter() throws(Closed) {
        var status: Int32 = 0
        guard let pid = starter, waitpid(pid, &status, WNOHANG) != 0 else { return }
        starter = nil
        guard status != 0 else { return }
        remove()
        throw Closed(message: "xdg-open found no browser that shows the page: open the address yourself.")
    }

    func remove() { unlink(path) }

    static func page(to address: String) -> String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <meta charset="utf-8">
        <meta name="referrer" content="no-referrer">
        <meta http-equiv="refresh" content="0; url=\(address)">
        <title>todod</title>
        <p><a href="\(address)">todod</a></p>
        </html>

        """
    }

    private static func closed(_ attempt: String, _ number: Int32) -> Closed {
        Closed(message: "\(attempt): \(String(cString: strerror(number))). Open the address yourself.")
    }
}
