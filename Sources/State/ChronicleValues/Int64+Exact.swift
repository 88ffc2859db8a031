extension Int64 {
    /// The largest integer that JSON clients with doubles represent exactly: 2^53 - 1.
    public static let exactMax: Int64 = 1 << 53 - 1

    /// Returns the sum; nil if its magnitude exceeds ``exactMax``.
    public func addingExactly(_ other: Int64) -> Int64? {
        let (sum, isOverflow) = addingReportingOverflow(other)
        return isOverflow || sum.magnitude > Self.exactMax.magnitude ? nil : sum
    }

    /// Splits the difference to another number into increments within ±``exactMax``.
    public func exactSteps(to other: Int64) -> [Int64] {
        if self == other { return [] }
        return other.addingExactly(0 &- self).map { [$0] } ?? [0 &- self, other]
    }
}
