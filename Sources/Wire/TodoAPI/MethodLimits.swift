internal import Chronicle

// The maximum lengths of texts are in UTF-8 bytes. Tests compare the limits with those of the log and of the search.

extension LogMethod { public static let searchBytesMax = 65_536 }

extension ScanMethod { public static let bucketsMax: UInt64 = 1_000 }

extension RedactTextsMethod {
    /// Maximum number of records of one call.
    ///
    /// Each call replays all later records, and many small calls would take quadratic time. All records change in one transaction, which
    /// blocks dispatches.
    public static let sequencesMax = 4_096
}

extension LockMethod { public static let reasonBytesMax = 1_024 }

extension SetInvariantMethod { public static let (nameBytesMax, expressionBytesMax) = (64, 512) }

extension SubscribeMethod { public static let actionsMax = 64 }

extension UndoMethod { public static let stepsMax = 1_000 }

extension CompactMethod { public static let forgetKeysDaysMax: UInt64 = 36_525 }

extension DebugTailMethod.Output {
    /// Maximum size of the lines, and of the action, of one reply, in bytes.
    private static let partBytesMax = 512 << 10

    /// The same reply without parts that are too large: the last lines, and the payload of the action.
    public func fitting() -> Self {
        var (output, bytes) = (self, 0)
        output.lines = Array(
            lines.prefix { line in
                bytes += Value.text(line).description.utf8.count + 1
                return bytes <= Self.partBytesMax
            })
        if output.lines.count < lines.count { output.linesLeftOut = UInt64(lines.count - output.lines.count) }
        if action.description.utf8.count > Self.partBytesMax, let name = caseName {
            output.action = .record([.init(feature, .record([.init(name, [:])]))])
            output.cut = true
        }
        return output
    }

    /// The name of the action, such as `todos.add`, or of the feature if the action has none.
    public var actionName: String { caseName.map { "\(feature).\($0)" } ?? feature }

    private var caseName: String? { if case .record(let actions) = action[feature] { actions.first?.name } else { nil } }
}
