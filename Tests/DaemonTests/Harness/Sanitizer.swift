import Foundation
import Glibc
import Testing

/// A sanitizer that is built into the tests and the programs, and what it has to say.
enum Sanitizer {
    /// Whether there is one.
    static let isOn = dlsym(nil, "__tsan_init") != nil || dlsym(nil, "__asan_init") != nil

    /// How much of something to do: all of it, or a fifth where everything takes ten times as long.
    static func share(of count: Int) -> Int { isOn ? count / 5 : count }

    /// Lets the test fail if a program reported something, whether it survived that or not.
    static func expectNoReport(in output: String) {
        guard let start = output.range(of: #"(WARNING|ERROR): \w+Sanitizer"#, options: .regularExpression) else { return }
        Issue.record("\(output[start.lowerBound...].prefix(20_000))")
    }
}
