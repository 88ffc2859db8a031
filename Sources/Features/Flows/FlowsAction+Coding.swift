public import ActionCoding
import Restoring

extension Flows.Action: CanonicalCodable {
    /// One field, the case, with a message: 1 start (1 kind), 2 answer (1 id, 2 text), 3 cancel (1 id), 4 started (as `Flow`), 5 ended (1 id,
    /// 2 result, also when empty), 6 offered (1 id, 2 options),
    /// 7 restore (as `TablePatch`).
    public func encode(into writer: inout CanonicalWriter) {
        switch self {
        case .restore(let patch): writer.message(7, patch)
        case .start(let kind): writer.message(1) { $0.field(1, kind) }
        case .answer(let id, let text):
            writer.message(2) { writer in
                writer.field(1, id)
                writer.field(2, text)
            }
        case .cancel(let id): writer.message(3) { $0.field(1, id) }
        case .started(let flow): writer.message(4, flow)
        case .ended(let id, let result):
            writer.message(5) { writer in
                writer.field(1, id)
                if let result { writer.element(2, result) }
            }
        case .offered(let id, let options):
            writer.message(6) { writer in
                writer.field(1, id)
                for option in options { writer.element(2, option) }
            }
        }
    }

    /// Reads what `encode` wrote.
    public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        guard let number = try cursor.nextField(in: bytes) else { throw CanonicalError(.missingField(1), at: cursor.offset) }
        guard (1...7).contains(number) else { throw cursor.unknown() }
        if number == 4 {
            self = .started(try cursor.singleMessage(bytes))
            guard cursor.isAtEnd else { throw CanonicalError(.trailingBytes, at: cursor.offset) }
            return
        }
        if number == 7 {
            self = .restore(try cursor.singleMessage(bytes))
            guard cursor.isAtEnd else { throw CanonicalError(.trailingBytes, at: cursor.offset) }
            return
        }
        var inner = try cursor.enterSingle(bytes)
        guard cursor.isAtEnd else { throw CanonicalError(.trailingBytes, at: cursor.offset) }
        self = number == 1 ? .start(kind: try inner.kind(bytes)) : try Self.aboutOne(number, bytes, &inner)
    }

    /// The cases that name one flow.
    private static func aboutOne(
        _ choice: UInt32, _ bytes: RawSpan, _ cursor: inout CanonicalCursor
    ) throws(CanonicalError) -> Self {
        var id: UInt64?
        var text: String?
        var options: [String] = []
        while let number = try cursor.nextField(in: bytes) {
            switch (choice, number) {
            case (_, 1): id = try cursor.flowID(bytes)
            case (2, 2): text = try cursor.text(bytes)
            case (5, 2): text = try cursor.textOrEmpty(bytes)
            case (6, 2): options.append(try cursor.textElement(bytes))
            default: throw cursor.unknown()
            }
        }
        guard let id else { throw CanonicalError(.missingField(1), at: cursor.offset) }
        return switch choice {
        case 2: .answer(id, text ?? "")
        case 3: .cancel(id)
        case 5: .ended(id, result: text)
        default: .offered(id, options: options)
        }
    }
}

extension CanonicalCursor {
    /// The one text of a message that is nothing else.
    fileprivate mutating func kind(_ bytes: RawSpan) throws(CanonicalError) -> String {
        var kind = ""
        while let number = try nextField(in: bytes) {
            guard number == 1 else { throw unknown() }
            kind = try text(bytes)
        }
        return kind
    }
}
