import Varlink

/// One reply of a state that is sent in pages.
struct StatePage {
    var epoch: Int64
    var sequence: Int64
    var state: JSON

    init?(_ members: [JSON.Member]) {
        guard let epoch = members["epoch"]?.int, let sequence = members["sequence"]?.int, let state = members["state"] else {
            return nil
        }
        self.epoch = epoch
        self.sequence = sequence
        self.state = state
    }

    /// The todos of this page.
    var todos: [JSON] { state["todos"]?["items"]?.array ?? [] }

    /// The whole reply, as the interface describes it.
    var members: [JSON.Member] {
        [
            .init(name: "epoch", value: .int(epoch)), .init(name: "sequence", value: .int(sequence)),
            .init(name: "state", value: state),
        ]
    }
}

extension JSON {
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
