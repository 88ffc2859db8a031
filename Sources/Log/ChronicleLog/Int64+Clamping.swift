/// Arithmetic on times: whoever writes a log or an export can write any number into it.
extension Int64 {
    /// The sum, or the nearest number that there is.
    package func adding(clamping other: Int64) -> Int64 {
        let (sum, isOver) = addingReportingOverflow(other)
        return isOver ? (other < 0 ? .min : .max) : sum
    }

    /// The difference, or the nearest number that there is.
    package func subtracting(clamping other: Int64) -> Int64 {
        let (difference, isOver) = subtractingReportingOverflow(other)
        return isOver ? (other < 0 ? .max : .min) : difference
    }
}
