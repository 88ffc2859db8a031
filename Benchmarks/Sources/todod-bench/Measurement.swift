/// One figure.
struct Measurement: Sendable, Encodable {
    var part = ""
    var name: String
    var value: Double
    var unit: String
}
