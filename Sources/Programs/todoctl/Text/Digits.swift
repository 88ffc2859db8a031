enum Digits {
    static func padded(_ number: Int, to width: Int) -> String {
        let digits = String(number)
        return digits.utf8.count >= width ? digits : String(repeating: "0", count: width - digits.utf8.count) + digits
    }

    /// `12,345`.
    static func grouped(_ number: some BinaryInteger) -> String {
        var text = ""
        let digits = String(number.magnitude)
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.utf8.count - index) % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return number < 0 ? "-" + text : text
    }

    /// `1 record`, `12,345 records`.
    ///
    /// - Parameter nouns: the plural if it does not end in s.
    static func counted(_ number: some BinaryInteger, _ noun: String, _ nouns: String? = nil) -> String {
        "\(grouped(number)) \(number == 1 ? noun : nouns ?? noun + "s")"
    }

    /// `1.5 GiB`.
    static func bytes(_ count: UInt64) -> String {
        let units = ["bytes", "KiB", "MiB", "GiB", "TiB"]
        var unit = 0
        var tenths = count * 10
        while tenths >= 10_240, unit < units.count - 1 {
            tenths /= 1024
            unit += 1
        }
        return unit == 0 ? counted(count, "byte") : "\(tenths / 10).\(tenths % 10) \(units[unit])"
    }
}
