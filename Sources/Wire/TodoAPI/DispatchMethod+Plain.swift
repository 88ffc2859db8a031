import Reducing

extension DispatchMethod.Input {
    /// Reads the frame of a whole call, if it is plainly a dispatch of actions with a key or without.
    ///
    /// The way of almost every dispatch: read strictly, one takes a sixth more instructions in all. `nil` for every other
    /// frame, right or wrong; whoever gets that reads the frame strictly.
    ///
    /// - Parameter depthMax: how many arrays and objects may stand inside each other.
    public init?(plain frame: Span<UInt8>, depthMax: Int = 64) {
        // The list of actions is the third level.
        var cursor = PlainCursor(depthMax: depthMax - 3)
        guard cursor.take(#"{"method":"org.todod.Store.Dispatch","parameters":{"actions":"#, frame),
            let actions = cursor.list(frame), actions.allSatisfy(\.isRecord)
        else { return nil }
        var key: String?
        if cursor.take(#","key":"#, frame) {
            guard let text = cursor.text(frame) else { return nil }
            key = text
        }
        guard cursor.take("}}", frame), cursor.offset == frame.count else { return nil }
        self.init(actions: actions, key: key)
    }
}

extension Value {
    fileprivate var isRecord: Bool {
        if case .record = self { true } else { false }
    }
}
