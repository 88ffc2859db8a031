import Chronicle

/// The action of a feature whose state alone matters.
struct NoAction: CaseCoding {
    static func defaultInstance(_ number: UInt32) -> NoAction? { number == 1 ? NoAction() : nil }

    consuming func visited<Visitor: FieldVisitor>(by fields: inout Visitor) throws(Visitor.Failure) -> NoAction {
        fields.choose(1, "nothing")
        return self
    }
}
