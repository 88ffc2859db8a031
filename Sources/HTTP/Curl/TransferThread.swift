import CCurl
import CMachine
import Glibc
import Synchronization

/// The thread that runs all transfers of the process.
///
/// It starts with the first request.
final class TransferThread: Sendable {
    /// `nil`: libcurl is not installed.
    static let shared = isLoaded ? TransferThread() : nil
    static let isLoaded = ccurl_load() != 0

    enum Command {
        case start(Exchange)
        case resume(Exchange)
        case cancel(Exchange)
        case stop(ObjectIdentifier)
    }

    private nonisolated(unsafe) let multi: UnsafeMutableRawPointer
    private let commands = Mutex<[Command]>([])

    private init() {
        guard let multi = ccurl_multi_init() else { preconditionFailure("there is no memory for curl") }
        self.multi = multi
        let start = Unmanaged.passRetained(self)
        let error = thread_start(
            { argument in
                guard let argument else { return }
                Unmanaged<TransferThread>.fromOpaque(argument).takeRetainedValue().run()
            }, start.toOpaque())
        precondition(error == 0, "the thread of HTTP requests can't be started: error \(error)")
    }

    func send(_ command: Command) {
        commands.withLock { $0.append(command) }
        ccurl_multi_wakeup(multi)
    }

    private func run() {
        thread_prepare("http")
        // Signals are for the program. OpenSSL would raise SIGPIPE on a connection that the peer has closed.
        var signals = sigset_t()
        sigfillset(&signals)
        pthread_sigmask(SIG_SETMASK, &signals, nil)
        var transfers: [Transfer] = []
        while true {
            for command in commands.withLock({ commands in
                defer { commands = [] }
                return commands
            }) {
                execute(command, &transfers)
            }
            var count: CInt = 0
            ccurl_multi_perform(multi, &count)
            while let message = ccurl_multi_info_read(multi, &count) {
                guard message.pointee.msg == CURLMSG_DONE, let handle = message.pointee.easy_handle,
                    let at = transfers.firstIndex(where: { $0.handle == handle })
                else { continue }
                let transfer = transfers.remove(at: at)
                transfer.end(transfer.error(ccurl_result(message)))
            }
            let pause = endOverdue(&transfers)
            ccurl_multi_poll(multi, pause)
        }
    }

    private func execute(_ command: Command, _ transfers: inout [Transfer]) {
        switch command {
        case .start(let exchange):
            guard let transfer = Transfer(exchange, on: multi) else {
                return exchange.end(HTTPError(.other(CURLE_OUT_OF_MEMORY.rawValue), mayHaveBeenSent: false))
            }
            transfers.append(transfer)
        case .resume(let exchange): transfers.first { $0.exchange === exchange }?.resume()
        case .cancel(let exchange): end(&transfers) { $0.exchange === exchange ? .cancelled : nil }
        case .stop(let client): end(&transfers) { $0.exchange.client == client ? .stopped : nil }
        }
    }

    /// Ends the transfers for which there is a reason before they are complete.
    private func end(_ transfers: inout [Transfer], for reason: (Transfer) -> HTTPError.Reason?) {
        transfers.removeAll { transfer in
            guard let reason = reason(transfer) else { return false }
            transfer.end(HTTPError(reason, mayHaveBeenSent: transfer.mayHaveBeenSent))
            return true
        }
    }

    /// Ends the transfers whose deadline has passed; returns the milliseconds until the next deadline.
    private func endOverdue(_ transfers: inout [Transfer]) -> CInt {
        let now = monotonic_nanoseconds()
        end(&transfers) { $0.overdue(at: now) }
        guard let next = transfers.map(\.deadline).min(), next < .max else { return CInt.max }
        return CInt(clamping: (max(next, now) - now) / 1_000_000 + 1)
    }
}
