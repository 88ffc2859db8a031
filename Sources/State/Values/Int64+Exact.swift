extension Int64 {
    /// The largest number that every client's JSON keeps exact: 2^53 - 1.
    public static let exactMax: Int64 = 1 << 53 - 1

    /// The sum; nil where it is beyond what every client's JSON keeps exact.
    public func addingExactly(_ other: Int64) -> Int64? {
        let (sum, isOverflow) = addingReportingOverflow(other)
        return isOverflow || sum.magnitude > Self.exactMax.magnitude ? nil : sum
    }

    /// What is to be added to this number, one by one, to get to another, none beyond what every client's JSON keeps exact.
    public func exactSteps(to other: Int64) -> [Int64] {
        if self == other { return [] }
        return other.addingExactly(0 &- self).map { [$0] } ?? [0 &- self, other]
    }
}
