internal import Reducing

extension DebugTailMethod.Output {
    /// Bytes of the lines, and of the action, in one answer.
    private static let partBytesMax = 512 << 10

    /// The same, without what is too much for one answer: the last lines, and what the action holds beside its name.
    public func fitting() -> Self {
        var output = self
        var bytes = 0
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

    /// The name of the action, such as `todos.add`; that of the feature alone where it has no further one.
    public var actionName: String { caseName.map { "\(feature).\($0)" } ?? feature }

    private var caseName: String? {
        if case .record(let actions) = action[feature] { actions.first?.name } else { nil }
    }
}
