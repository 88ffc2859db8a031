internal import CCurl

/// The address of an HTTP resource and its parts, as libcurl reads them.
public struct HTTPAddress: Sendable, Hashable {
    /// The whole, with what must be encoded encoded.
    public let text: String
    public let isEncrypted: Bool
    /// The name or the number of the host; an IPv6 address without its brackets.
    public let host: String
    /// The port, where one is written.
    public let port: String?
    public let hasQueryOrFragment: Bool

    /// Parses an absolute URL, or one relative to another; `nil`: it is invalid, is neither http nor https, contains a user or a
    /// password, or libcurl is not installed.
    public init?(_ text: String, relativeTo base: String? = nil) {
        guard TransferThread.isLoaded, let url = ccurl_url() else { return nil }
        defer { ccurl_url_cleanup(url) }
        let flags = UInt32(CURLU_DISALLOW_USER | CURLU_URLENCODE | CURLU_ALLOW_SPACE)
        // libcurl takes a scheme that no slash follows, as in `mailto:`, for the beginning of a relative path.
        let scheme = text.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
        if text.dropFirst(scheme.count).first == ":", !["http", "https"].contains(scheme.lowercased()) { return nil }
        // It also takes a fragment, or nothing, for a path.
        let isFragment = text.isEmpty || text.hasPrefix("#")
        let reference = isFragment ? (base ?? "").prefix { $0 != "#" } + text : text
        for part in [base, reference].compactMap(\.self) where ccurl_url_set(url, part, flags) != CURLUE_OK { return nil }
        func part(_ part: CURLUPart) -> String? {
            var text: UnsafeMutablePointer<CChar>?
            guard ccurl_url_get(url, part, &text) == CURLUE_OK, let text else { return nil }
            defer { ccurl_free(text) }
            return String(cString: text)
        }
        guard let whole = part(CURLUPART_URL), let name = part(CURLUPART_SCHEME), let host = part(CURLUPART_HOST),
            name == "http" || name == "https"
        else { return nil }
        self.text = whole
        self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        isEncrypted = name == "https"
        port = part(CURLUPART_PORT)
        hasQueryOrFragment = part(CURLUPART_QUERY) != nil || part(CURLUPART_FRAGMENT) != nil
    }
}
