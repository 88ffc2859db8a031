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
