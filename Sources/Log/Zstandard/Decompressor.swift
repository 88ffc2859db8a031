internal import CZstd

public struct DecompressionError: Error, Equatable {
    public var reason: String
}

/// Decompresses Zstandard frames in pieces; `next` returns at most `pieceBytes`, whatever the ratio.
public struct Decompressor: ~Copyable {
    public static let magic: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD]
    public static let pieceBytes = 128 << 10

    private let context: OpaquePointer
    private var input: [UInt8] = []
    private var position = 0
    private var room = [UInt8](repeating: 0, count: pieceBytes)
    /// Whether the input so far ends with a complete frame.
    public private(set) var isComplete = true

    public init() {
        guard let context = ZSTD_createDCtx() else { preconditionFailure("there is no memory for a decompressor") }
        self.context = context
    }

    deinit { ZSTD_freeDCtx(context) }

    /// Adds a piece; `next` must have returned all of the previous one.
    public mutating func add(_ bytes: [UInt8]) {
        input = bytes
        position = 0
    }

    /// The next bytes; empty if another piece is needed.
    public mutating func next() throws(DecompressionError) -> [UInt8] {
        while position < input.count || !isComplete {
            var (result, filled) = (0, 0)
            let before = position
            input.withUnsafeBytes { source in
                room.withUnsafeMutableBytes { room in
                    var from = ZSTD_inBuffer(src: source.baseAddress, size: source.count, pos: position)
                    var output = ZSTD_outBuffer(dst: room.baseAddress, size: room.count, pos: 0)
                    result = ZSTD_decompressStream(context, &output, &from)
                    (position, filled) = (from.pos, output.pos)
                }
            }
            guard ZSTD_isError(result) == 0 else {
                throw DecompressionError(reason: String(cString: ZSTD_getErrorName(result)))
            }
            isComplete = result == 0
            if filled > 0 { return Array(room[..<filled]) }
            if position == before { break }
        }
        return []
    }
}
