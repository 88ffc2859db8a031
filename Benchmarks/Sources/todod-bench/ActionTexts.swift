/// The texts of `actions` arrays that a load takes in turn, and the only place that knows how actions look on the wire.
struct ActionTexts: Sendable {
    private(set) var bytes: [UInt8] = []

    mutating func append(_ actions: String...) { append(actions) }

    mutating func append(_ actions: [String]) {
        bytes.append(UInt8(ascii: "["))
        for (index, action) in actions.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            bytes += action.utf8
        }
        bytes += [UInt8(ascii: "]"), 0]
    }

    /// Appends a whole call.
    mutating func append(call: String) { bytes += call.utf8 + [0] }

    static let increment = #"{"counter":{"increment":{}}}"#

    static func add(_ titles: some Sequence<String>) -> String { add(items: titles.map { #"{"title":"\#($0)"}"# }) }

    /// Adds todos with a tag each.
    static func add(tagged titles: some Sequence<(title: String, tag: String)>) -> String {
        add(items: titles.map { #"{"title":"\#($0.title)","tags":["\#($0.tag)"]}"# })
    }

    /// Adds todos with a note each.
    static func add(_ titles: some Sequence<String>, note: String) -> String {
        add(items: titles.map { #"{"title":"\#($0)","note":"\#(note)"}"# })
    }

    private static func add(items: [String]) -> String {
        #"{"todos":{"add":{"items":[\#(items.joined(separator: ","))]}}}"#
    }

    static func edit(_ id: Int, title: String) -> String {
        #"{"todos":{"edit":{"id":\#(id),"title":"\#(title)"}}}"#
    }

    static func edit(_ id: Int, tags: [String]) -> String {
        #"{"todos":{"edit":{"id":\#(id),"tags":\#(tags)}}}"#
    }

    static func complete(_ id: Int) -> String { #"{"todos":{"complete":{"id":\#(id)}}}"# }

    static func reopen(_ id: Int) -> String { #"{"todos":{"reopen":{"id":\#(id)}}}"# }

    static func move(_ id: Int, to place: Int) -> String { #"{"todos":{"move":{"id":\#(id),"index":\#(place)}}}"# }

    static func remove(_ id: Int) -> String { #"{"todos":{"remove":{"id":\#(id)}}}"# }
}
