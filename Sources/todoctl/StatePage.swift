import Varlink

/// One reply of a state that is sent in pages.
struct StatePage {
    var epoch: Int64
    var sequence: Int64
    var state: JSON
    /// The time of the record, and how many were folded to know the state; only of a moment that was asked for.
    var time: Int64?
    var folded: Int64?
    /// How many elements the list has; only where some of them were asked for.
    var count: Int64?

    init?(_ members: [JSON.Member]) {
        guard let epoch = members["epoch"]?.int, let sequence = members["sequence"]?.int, let state = members["state"] else {
            return nil
        }
        self.epoch = epoch
        self.sequence = sequence
        self.state = state
        time = members["time"]?.int
        folded = members["folded"]?.int
        count = members["count"]?.int
    }

    /// The todos of this page.
    var todos: [JSON] { state["todos"]?["items"]?.array ?? [] }

    /// The whole reply, as the interface describes it.
    var members: [JSON.Member] {
        let optional: [(String, Int64?)] = [("time", time), ("folded", folded), ("count", count)]
        return [
            .init(name: "epoch", value: .int(epoch)), .init(name: "sequence", value: .int(sequence)),
            .init(name: "state", value: state),
        ] + optional.compactMap { name, number in number.map { .init(name: name, value: .int($0)) } }
    }
}

extension JSON {
    /// How many elements the lists in it have, those of records in records included.
    var elementCount: Int {
        switch self {
        case .array(let elements): elements.count
        case .object(let members): members.reduce(0) { $0 + $1.value.elementCount }
        default: 0
        }
    }

    /// Puts the elements of the lists of a further page at the end of the lists here, in place.
    mutating func append(page: JSON) {
        // `self` lets go of its elements first, so that they are not copied.
        if case .array(let more) = page, case .array(var elements) = self {
            self = .null
            elements.append(contentsOf: more)
            self = .array(elements)
        } else if case .object(let more) = page, case .object(var members) = self {
            self = .null
            for member in more {
                if let index = members.firstIndex(where: { $0.name == member.name }) {
                    members[index].value.append(page: member.value)
                } else {
                    members.append(member)
                }
            }
            self = .object(members)
        } else {
            self = page
        }
    }
}
