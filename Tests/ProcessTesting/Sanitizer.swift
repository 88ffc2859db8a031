import Foundation
public import TestSupport
import Testing

extension Sanitizer {
    /// Fails the test if a sanitizer reported something, whether the program survived it or not.
    public static func expectNoReport(in output: String) {
        guard let start = output.range(of: #"(WARNING|ERROR): \w+Sanitizer"#, options: .regularExpression) else { return }
        Issue.record("\(output[start.lowerBound...].prefix(20_000))")
    }
}
