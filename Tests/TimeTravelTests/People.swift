import Chronicle

/// A feature in three releases: a person's name and age.
enum People {
    /// The first: one name, and an age in years.
    enum First: Feature {
        typealias Command = Never

        struct State: FieldCoding {
            @ByteEqual var owner = ""
            var age: Int64 = 0

            mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
                try visitor.field(1, "owner", &owner)
                try visitor.field(2, "age", &age)
            }
        }

        enum Action: CaseCoding {
            case rename(String)
            case grow(years: Int64)

            consuming func visited<Visitor: FieldVisitor>(by visitor: inout Visitor) throws(Visitor.Failure) -> Self {
                switch consume self {
                case .rename(var name):
                    visitor.choose(1, "rename")
                    try visitor.field(1, "name", &name)
                    return .rename(name)
                case .grow(var years):
                    visitor.choose(2, "grow")
                    try visitor.field(1, "years", &years)
                    return .grow(years: years)
                }
            }

            static func defaultInstance(_ number: UInt32) -> Self? { [1: .rename(""), 2: .grow(years: 0)][number] }
        }

        static func reduce(_ state: inout State, _ action: Action, _ context: Context) -> [Never] {
            switch action {
            case .rename(let name): state.owner = name
            case .grow(let years): state.age += years
            }
            return []
        }
    }

    /// The second, which renamed the field of the name.
    enum Second: Feature {
        typealias Command = Never
        typealias Action = First.Action

        struct State: FieldCoding {
            @ByteEqual var fullName = ""
            var age: Int64 = 0

            mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
                visitor.renamed(from: "owner")
                try visitor.field(1, "fullName", &fullName)
                try visitor.field(2, "age", &age)
            }
        }

        static func reduce(_ state: inout State, _ action: Action, _ context: Context) -> [Never] {
            switch action {
            case .rename(let name): state.fullName = name
            case .grow(let years): state.age += years
            }
            return []
        }
    }

    /// The third, which split the name in two and stores the age in months.
    enum Third: Feature {
        typealias Command = Never

        struct State: FieldCoding {
            var months: Int64 = 0
            var name = Name()

            mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
                visitor.renamed(from: "owner")
                try visitor.former(1, "fullName", String.self) { name = Name($0) }
                try visitor.former(2, "age", Int64.self) { months = $0 * 12 }
                try visitor.field(3, "months", &months)
                try visitor.field(4, "name", &name)
            }
        }

        enum Action: CaseCoding {
            case rename(Name)
            case grow(months: Int64)

            consuming func visited<Visitor: FieldVisitor>(by visitor: inout Visitor) throws(Visitor.Failure) -> Self {
                switch consume self {
                case .rename(var name):
                    visitor.choose(1, "rename")
                    try visitor.former(1, "name", String.self) { name = Name($0) }
                    try visitor.field(2, "names", &name)
                    return .rename(name)
                case .grow(var months):
                    visitor.choose(2, "grow")
                    try visitor.former(1, "years", Int64.self) { months = $0 * 12 }
                    try visitor.field(2, "months", &months)
                    return .grow(months: months)
                }
            }

            static func defaultInstance(_ number: UInt32) -> Self? { [1: .rename(Name()), 2: .grow(months: 0)][number] }
        }

        static func reduce(_ state: inout State, _ action: Action, _ context: Context) -> [Never] {
            switch action {
            case .rename(let name): state.name = name
            case .grow(let months): state.months += months
            }
            return []
        }
    }

    /// The third, without the older forms of the actions.
    enum Forgetful: Feature {
        typealias Command = Never
        typealias State = Third.State

        enum Action: CaseCoding {
            case rename(Name)
            case grow(months: Int64)

            consuming func visited<Visitor: FieldVisitor>(by visitor: inout Visitor) throws(Visitor.Failure) -> Self {
                switch consume self {
                case .rename(var name):
                    visitor.choose(1, "rename")
                    try visitor.field(2, "names", &name)
                    return .rename(name)
                case .grow(var months):
                    visitor.choose(2, "grow")
                    try visitor.former(1, "years", Int64.self) { months = $0 * 12 }
                    try visitor.field(2, "months", &months)
                    return .grow(months: months)
                }
            }

            static func defaultInstance(_ number: UInt32) -> Self? { [1: .rename(Name()), 2: .grow(months: 0)][number] }
        }

        static func reduce(_ state: inout State, _ action: Action, _ context: Context) -> [Never] {
            switch action {
            case .rename(let name): state.name = name
            case .grow(let months): state.months += months
            }
            return []
        }
    }

    /// The two parts of a name.
    struct Name: FieldCoding {
        @ByteEqual var given = ""
        @ByteEqual var family = ""

        init() {}

        init(_ whole: String) {
            given = String(whole.prefix { $0 != " " })
            family = String(whole.drop { $0 != " " }.dropFirst())
        }

        mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
            try visitor.field(1, "given", &given)
            try visitor.field(2, "family", &family)
        }
    }
}
