public import Chronicle
import Varlink

/// The names of a service's interfaces, which begin with a prefix that its program chooses.
///
/// Code uses the names of todod's interfaces for every service. A service translates them when it reads a call and writes an error, a client
/// when it writes a call and reads an error (``NameTranslation``).
public struct InterfaceNames: Sendable, Equatable {
    /// The prefix of todod's interfaces.
    public static let ownPrefix = "org.todod"
    /// The prefix of the service's interfaces, without the final dot.
    public let prefix: String

    public init(prefix: String = ownPrefix) { self.prefix = prefix }

    /// The names of the service that replied this to `GetInfo`; `nil` if it has no store.
    public init?(info: [Value.Field]) {
        let store = info["interfaces"]?.list?.compactMap(\.text).first { $0.hasSuffix(".Store") }
        guard let store else { return nil }
        prefix = String(store.dropLast(".Store".count))
    }

    /// Translates a name that code uses.
    public func served(_ name: String) -> String {
        name.hasPrefix(Self.ownPrefix + ".") ? prefix + name.dropFirst(Self.ownPrefix.count) : name
    }

    /// Translates a name of the service.
    public func own(_ name: String) -> String {
        name.hasPrefix(prefix + ".") ? Self.ownPrefix + name.dropFirst(prefix.count) : name
    }
}

/// Translates the names in the calls and replies of one connection to a service, which may have interfaces with another prefix.
///
/// Such a service refuses the calls and executes nothing. It is then asked for its interfaces, and the calls are sent again with its names.
public struct NameTranslation: Sendable {
    public private(set) var names: InterfaceNames
    /// Whether the service has accepted a name, so that no call has to be repeated.
    public private(set) var isComplete = false
    /// The calls without a reply; empty once the translation is complete.
    private var calls: [[UInt8]] = []
    /// The replies since the first refusal; the reply to `GetInfo` follows after `refusedMax` of them.
    private var refusals: [[UInt8]] = []
    private var refusedMax = 0

    public init(_ names: InterfaceNames = InterfaceNames()) { self.names = names }

    /// Whether frames pass unchanged.
    public var isIdentity: Bool { isComplete && names == InterfaceNames() }

    public mutating func send(_ bytes: [UInt8]) -> [UInt8] {
        if isIdentity { return bytes }
        let frames = bytes.split(separator: 0).map { Array($0) + [0] }
        if !isComplete {
            // Only calls that the service refuses or that just describe it may be repeated.
            isComplete = refusals.isEmpty && frames.contains { !Self.isOwn($0) && !$0.starts(with: Self.service) }
            calls = isComplete ? [] : calls + frames
        }
        guard refusals.isEmpty else { return [] }
        return names == InterfaceNames() ? bytes : frames.flatMap { translated(call: $0) }
    }

    /// Takes a reply without its NUL; returns the replies for the caller, and bytes to send.
    public mutating func receive(_ reply: [UInt8]) -> (replies: [[UInt8]], calls: [UInt8]) {
        guard !isComplete, let first = calls.first else { return ([translated(reply: reply)], []) }
        if refusals.isEmpty {
            guard Self.isOwn(first), reply.starts(with: Self.refusal) else {
                isComplete = Self.isOwn(first)
                calls = isComplete ? [] : Array(calls.dropFirst())
                return ([translated(reply: reply)], [])
            }
            (refusals, refusedMax) = ([reply], calls.count)
            return ([], Call.frame("org.varlink.service.GetInfo", parameters: Array("{}".utf8)))
        }
        guard refusals.count == refusedMax else {
            refusals.append(reply)
            return ([], [])
        }
        defer { (isComplete, calls, refusals) = (true, [], []) }
        let found = (try? Reply(parsing: reply.span)).flatMap { InterfaceNames(info: $0.parameters) }
        guard let found, found != names else { return (refusals, calls[refusedMax...].flatMap { translated(call: $0) }) }
        names = found
        return ([], calls.flatMap { translated(call: $0) })
    }

    /// A reply with the names that code uses.
    public func translated(reply: [UInt8]) -> [UInt8] {
        Self.replace(names.prefix, by: InterfaceNames.ownPrefix, after: #"{"error":""#, in: reply) ?? reply
    }

    private func translated(call: [UInt8]) -> [UInt8] {
        let (own, served) = (InterfaceNames.ownPrefix, names.prefix)
        return Self.openings.lazy.compactMap { Self.replace(own, by: served, after: $0, in: call) }.first ?? call
    }

    private static func isOwn(_ call: [UInt8]) -> Bool {
        openings.contains { call.starts(with: ($0 + InterfaceNames.ownPrefix + ".").utf8) }
    }

    private static func replace(_ old: String, by new: String, after opening: String, in frame: [UInt8]) -> [UInt8]? {
        let start = Array((opening + old + ".").utf8)
        return frame.starts(with: start) ? Array((opening + new + ".").utf8) + frame.dropFirst(start.count) : nil
    }

    /// The beginnings of calls that name an interface.
    private static let openings = [
        #"{"method":""#, #"{"method":"org.varlink.service.GetInterfaceDescription","parameters":{"interface":""#,
    ]
    private static let service = Array(#"{"method":"org.varlink.service."#.utf8)
    private static let refusal = Array(#"{"error":"org.varlink.service.InterfaceNotFound""#.utf8)
}
