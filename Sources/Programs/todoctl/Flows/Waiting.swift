import ArgumentParser
import Dates
import Glibc

/// The timeout of a question: `90s`, `30min`, `2h`, `1d`.
enum Waiting {
    /// The duration in seconds; `nil` for calendar durations and other texts.
    static func seconds(_ text: String) -> Int64? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard let count = Int(digits), 1...TimeShift.countMax ~= count,
            let unit = TimeShift.Unit(text.dropFirst(digits.count))
        else { return nil }
        return unit == .day ? Int64(count) * 86_400 : TimeShift(count: count, unit: unit).seconds
    }
}

/// Whether a verb waits for the result of its request.
struct WaitOption: ParsableArguments {
    @Flag(inversion: .prefixedNo, help: "Wait for the result (default: only on a terminal).")
    var wait: Bool?

    /// Makes the request and prints its result, or how to see it later.
    func run(_ order: SourceOrder, _ options: Options) throws {
        let waits = wait ?? (isatty(1) == 1 && !options.json)
        try options.session(patience: waits ? Client.followingPatience : Client.patience) { session in
            if waits { return try SourceRequest(order, session).finish() }
            try session.change([order.action]) { _ in [order.notice] }
        }
    }
}
