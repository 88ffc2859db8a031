internal import CZstd

/// Compresses pieces to one Zstandard frame with a checksum of the content.
public struct Compressor: ~Copyable {
    private let context: OpaquePointer
    private var room: [UInt8]

    /// - Parameter effort: the level of Zstandard; 1 takes half as long as 3 and a tenth more space for repetitive content.
    public init(effort: Int32 = 3) {
        guard let context = ZSTD_createCCtx() else { preconditionFailure("there is no memory for a compressor") }
        ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)
        ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, effort)
        self.context = context
        room = [UInt8](repeating: 0, count: ZSTD_CStreamOutSize())
    }

    deinit { ZSTD_freeCCtx(context) }

    /// Adds a piece; returns the finished part of the frame.
    public mutating func compress(_ bytes: [UInt8]) -> [UInt8] { run(bytes, ZSTD_e_continue) }

    public mutating func finish() -> [UInt8] { run([], ZSTD_e_end) }

    private mutating func run(_ bytes: [UInt8], _ mode: ZSTD_EndDirective) -> [UInt8] {
        var compressed: [UInt8] = []
        bytes.withUnsafeBytes { source in
            var input = ZSTD_inBuffer(src: source.baseAddress, size: source.count, pos: 0)
            var isDone = false
            while !isDone {
                room.withUnsafeMutableBytes { room in
                    var output = ZSTD_outBuffer(dst: room.baseAddress, size: room.count, pos: 0)
                    let left = ZSTD_compressStream2(context, &output, &input, mode)
                    // It fails only without memory.
                    precondition(ZSTD_isError(left) == 0, "compressing: \(String(cString: ZSTD_getErrorName(left)))")
                    compressed += room.prefix(output.pos)
                    isDone = mode == ZSTD_e_end ? left == 0 : input.pos == input.size
                }
            }
        }
        return compressed
    }
}

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
