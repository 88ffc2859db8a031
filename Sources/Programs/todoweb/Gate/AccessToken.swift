/// What whoever may call has to show: 128 bits of the kernel's randomness, as 32 hexadecimal digits.
struct AccessToken: Sendable {
    let text: String

    /// A token of its own for each start.
    init() {
        // On Linux this is getrandom.
        var generator = SystemRandomNumberGenerator()
        let digits = Array("0123456789abcdef")
        text = String((0..<32).map { _ in digits[Int(generator.next() & 15)] })
    }

    /// The token of a text.
    init(_ text: String) { self.text = text }

    /// Whether a text is this token; takes as long for each text of its length, so that no digit can be told from the time.
    func matches(_ other: some StringProtocol) -> Bool {
        let (own, given) = (Array(text.utf8), Array(other.utf8))
        guard own.count == given.count else { return false }
        return zip(own, given).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
