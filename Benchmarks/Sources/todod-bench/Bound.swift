/// What a figure has to reach.
enum Bound: Sendable {
    case atLeast(Double), atMost(Double)
}
