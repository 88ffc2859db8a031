internal import CZstd

/// Why bytes can't be decompressed.
public struct DecompressionError: Error, Equatable {
    /// What the library says of it.
    public var reason: String
}

/// Decompresses Zstandard frames that come piece by piece; never more at once than `pieceBytes`, whatever they blow up to.
public struct Decompressor: ~Copyable {
    /// How every frame begins.
    public static let magic: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD]
    /// The most bytes that `next` gives.
    public static let pieceBytes = 128 << 10

    private let context: OpaquePointer
    private var input: [UInt8] = []
    private var position = 0
    private var room = [UInt8](repeating: 0, count: pieceBytes)
    /// Whether all that came so far are whole frames.
    public private(set) var isComplete = true

    /// Waits for a first piece.
    public init() {
        guard let context = ZSTD_createDCtx() else { preconditionFailure("there is no memory for a decompressor") }
        self.context = context
    }

    deinit { ZSTD_freeDCtx(context) }

    /// Takes a piece, once `next` has given all of the one before.
    public mutating func add(_ bytes: [UInt8]) {
        input = bytes
        position = 0
    }

    /// The next bytes; none when another piece is needed.
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
