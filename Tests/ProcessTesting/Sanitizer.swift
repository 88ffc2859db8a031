import Foundation
public import TestSupport
import Testing

extension Sanitizer {
    /// Lets the test fail if a program reported something, whether it survived that or not.
    public static func expectNoReport(in output: String) {
        guard let start = output.range(of: #"(WARNING|ERROR): \w+Sanitizer"#, options: .regularExpression) else { return }
        Issue.record("\(output[start.lowerBound...].prefix(20_000))")
    }
}
