import Reducing

extension Stars {
    /// The star buttons that don't stand as they began, in the order of their ids' bytes.
    ///
    /// A button that stands as it began (no star, count 0) is not kept, so giving a star and taking it back leaves no trace.
    public struct State: Sendable, Equatable {
        /// A star button with its id.
        public struct Entry: Sendable, Equatable {
            /// Its id.
            public let id: String
            /// The button.
            public let star: Star

            /// Compares ids by their bytes.
            public static func == (left: Entry, right: Entry) -> Bool {
                left.star == right.star && left.id.hasSameBytes(as: right.id)
            }
        }

        /// The buttons in the order of their ids' bytes.
        public private(set) var entries: [Entry] = []

        /// Makes the state that everything begins with.
        public init() {}

        /// Makes a state with these buttons; of two with the same id the last counts, and impossible ids are left out.
        public init(items: KeyValuePairs<String, Star>) {
            for (id, star) in items { self[id] = star }
        }

        /// The button of an id; one that was never pressed stands as all begin.
        ///
        /// Setting the button of an impossible id changes nothing.
        public subscript(id: String) -> Star {
            get {
                let place = place(of: id)
                return place.isTaken ? entries[place.index].star : Star()
            }
            set {
                guard Limits.allows(id: id) else { return }
                let place = place(of: id)
                let range = place.index..<place.index + (place.isTaken ? 1 : 0)
                entries.replaceSubrange(range, with: newValue == Star() ? [] : [Entry(id: id, star: newValue)])
            }
        }

        /// Adds a button behind all others; false if its id's bytes don't come after theirs, or it stands as it began.
        mutating func append(_ entry: Entry) -> Bool {
            if let last = entries.last, !last.id.utf8.lexicographicallyPrecedes(entry.id.utf8) { return false }
            guard entry.star != Star() else { return false }
            entries.append(entry)
            return true
        }

        func contains(_ id: String) -> Bool { place(of: id).isTaken }

        /// Where an id stands, or would stand.
        private func place(of id: String) -> (index: Int, isTaken: Bool) {
            var range = entries.startIndex..<entries.endIndex
            while !range.isEmpty {
                let middle = range.lowerBound + range.count / 2
                if entries[middle].id.utf8.lexicographicallyPrecedes(id.utf8) {
                    range = middle + 1..<range.upperBound
                } else {
                    range = range.lowerBound..<middle
                }
            }
            let index = range.lowerBound
            return (index, index < entries.endIndex && entries[index].id.hasSameBytes(as: id))
        }
    }
}
