import Chronicle
import Testing

private enum Moving: CaseCoding {
    case move(UInt64, to: Int)

    static func defaultInstance(_ number: UInt32) -> Self? { number == 1 ? .move(0, to: 0) : nil }

    consuming func visited<Visitor: FieldVisitor>(by visitor: inout Visitor) throws(Visitor.Failure) -> Self {
        switch self {
        case .move(var id, var index):
            visitor.choose(1, "move")
            try visitor.field(1, "id", &id, .needed)
            try visitor.field(2, "to", &index, .required)
            return .move(id, to: index)
        }
    }
}

@Suite struct NegativeIndexTests {
    @Test func `a negative index differs from other indices and does not decode from bytes`() {
        #expect(Moving.move(1, to: -3) != .move(1, to: 0))
        #expect(Moving.move(1, to: -3) != .move(1, to: -2))
        #expect(Moving.move(1, to: -3) == .move(1, to: -3))
        #expect(throws: CanonicalError.self) { try Moving(canonical: Moving.move(1, to: -3).canonicalBytes) }
    }

    @Test func `the encoding of other indices is stable`() {
        #expect(Moving.move(1, to: 0).canonicalBytes == [5, 2, 4, 1])
        #expect(Moving.move(1, to: 300).canonicalBytes == [5, 5, 4, 1, 8, 172, 2])
    }
}
