import CExpat

enum XMLFailure: Error, Sendable, Equatable {
    /// Not well formed; the text is the parser's message.
    case malformed(String, line: Int)
    /// Entity declarations are refused: they enable most XML attacks, and feeds don't need them.
    case entities
    case tooDeep
}

/// Parses XML block by block with libexpat; it fetches nothing, and expands only predefined entities and character references.
///
/// The first entity declaration ends the parsing, so the output is never larger than the input.
final class XMLScanner {
    static let depthMax = 64

    // Expat keeps the pointer. It calls back only during `parse`, on the same thread.
    private let parser: XML_Parser
    private var events: [XMLEvent] = []
    private var depth = 0
    private var failure: XMLFailure?

    init() {
        // The separator can't occur in a namespace URI. This fails only if memory is exhausted.
        guard let parser = XML_ParserCreateNS(nil, XML_Char(bitPattern: Self.separator)) else {
            preconditionFailure("there is no memory for a parser of XML")
        }
        self.parser = parser
        XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
        XML_SetElementHandler(
            parser,
            { scanner, name, attributes in
                guard let name, let attributes else { return }
                XMLScanner.from(scanner)?.start(name, attributes)
            },
            { scanner, _ in XMLScanner.from(scanner)?.end() })
        XML_SetCharacterDataHandler(parser) { scanner, bytes, count in
            guard let bytes, count > 0 else { return }
            let text = UnsafeBufferPointer(start: bytes, count: Int(count))
            XMLScanner.from(scanner)?.add(.text(String(decoding: text.lazy.map { UInt8(bitPattern: $0) }, as: UTF8.self)))
        }
        XML_SetEntityDeclHandler(parser) { scanner, _, _, _, _, _, _, _, _ in XMLScanner.from(scanner)?.fail(.entities) }
    }

    deinit { XML_ParserFree(parser) }

    /// Parses the next block, or with `nil` the end, and returns the complete events.
    ///
    /// - Throws: the first error. The parser can't be used afterwards.
    func events(in block: [UInt8]?) throws(XMLFailure) -> [XMLEvent] {
        let status = (block ?? []).withUnsafeBytes { bytes in
            XML_Parse(
                parser, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count), block == nil ? 1 : 0)
        }
        if let failure { throw failure }
        guard status == XML_STATUS_OK else {
            let words = XML_ErrorString(XML_GetErrorCode(parser)).map { String(cString: $0) } ?? "not well formed"
            throw .malformed(words, line: Int(XML_GetCurrentLineNumber(parser)))
        }
        defer { events = [] }
        return events
    }

    private func start(_ name: UnsafePointer<XML_Char>, _ attributes: UnsafeMutablePointer<UnsafePointer<XML_Char>?>) {
        depth += 1
        guard depth <= Self.depthMax else { return fail(.tooDeep) }
        var pairs: [XMLName: String] = [:]
        // Alternating names and values, terminated by nil.
        var next = attributes
        while let name = next[0], let value = next[1] {
            pairs[Self.name(name)] = String(cString: value)
            next += 2
        }
        add(.start(Self.name(name), attributes: pairs))
    }

    private func end() {
        depth -= 1
        add(.end)
    }

    private func add(_ event: XMLEvent) {
        // Expat may make a few more calls after it was stopped.
        guard failure == nil else { return }
        events.append(event)
    }

    private func fail(_ failure: XMLFailure) {
        if self.failure == nil { self.failure = failure }
        XML_StopParser(parser, XML_Bool(XML_FALSE))
    }

    private static let separator: UInt8 = 0x0A

    private static func from(_ pointer: UnsafeMutableRawPointer?) -> XMLScanner? {
        pointer.map { Unmanaged<XMLScanner>.fromOpaque($0).takeUnretainedValue() }
    }

    private static func name(_ text: UnsafePointer<XML_Char>) -> XMLName {
        let parts = String(cString: text).split(separator: "\n", maxSplits: 1)
        return parts.count == 2 ? XMLName(String(parts[1]), in: String(parts[0])) : XMLName(String(parts.first ?? ""))
    }
}

enum XMLEvent: Sendable, Equatable {
    case start(XMLName, attributes: [XMLName: String])
    case end
    /// Text. A long text comes in several events.
    case text(String)
}

struct XMLName: Sendable, Hashable {
    var space: String
    var local: String

    init(_ local: String, in space: String = "") { (self.local, self.space) = (local, space) }
}
