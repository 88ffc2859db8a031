/// Which todod this is.
enum Version {
    static let text = "0.1.0"
    /// The same as a number, as it stands in every record: 10,000 * major + 100 * minor + patch.
    static let build: UInt32 = 100
}
