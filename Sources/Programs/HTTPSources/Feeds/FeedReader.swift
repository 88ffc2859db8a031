import FeaturePosts

/// Parses the entries of an RSS 2.0 or Atom feed, event by event.
///
/// Skips unknown elements, and entries without title and link.
struct FeedReader {
    static let entriesMax = 500
    static let keyBytesMax = 500
    static let titleBytesMax = 300
    static let linkBytesMax = 2000
    static let summaryBytesMax = 1000
    /// Maximum number of bytes of one element's text; the rest is ignored.
    static let textBytesMax = 64 << 10

    private enum Form {
        case rss, atom

        var entry: String { self == .rss ? "item" : "entry" }
        var entryDepth: Int { self == .rss ? 3 : 2 }
        var fields: Set<String> {
            switch self {
            case .rss: ["title", "link", "guid", "description", "pubDate"]
            case .atom: ["title", "id", "summary", "content", "published", "updated"]
            }
        }
    }

    private static let atom = "http://www.w3.org/2005/Atom"

    private(set) var entries: [Post] = []
    private(set) var next: WebAddress?
    var isFeed: Bool { form != nil }
    var isFull: Bool { entries.count >= Self.entriesMax }

    private let address: WebAddress
    private var form: Form?
    private var depth = 0
    /// The texts of the current entry by field; `nil` outside of entries.
    private var fields: [String: String]?
    private var field: (name: String, depth: Int)?
    private var isMarkup: [String: Bool] = [:]

    init(from address: WebAddress) { self.address = address }

    mutating func take(_ event: XMLEvent) {
        switch event {
        case .start(let name, let attributes): start(name, attributes)
        case .end: end()
        case .text(let text):
            guard let field, fields?[field.name, default: ""].utf8.count ?? 0 < Self.textBytesMax else { return }
            fields?[field.name, default: ""] += text
        }
    }

    private mutating func start(_ name: XMLName, _ attributes: [XMLName: String]) {
        depth += 1
        if depth == 1 {
            if name == XMLName("rss") { form = .rss } else if name == XMLName("feed", in: Self.atom) { form = .atom }
            return
        }
        guard let form else { return }
        let isOwn = name.space == (form == .atom ? Self.atom : "")
        let value = { (wanted: String) in attributes[XMLName(wanted)] }
        if depth == form.entryDepth, isOwn, name.local == form.entry, !isFull {
            fields = [:]
            isMarkup = [:]
        } else if depth == form.entryDepth, name == XMLName("link", in: Self.atom), value("rel") == "next" {
            // All pages of a feed must have the same origin.
            if let link = value("href").flatMap({ address.resolving($0) }), link.isSameOrigin(as: address) { next = link }
        } else if depth == form.entryDepth + 1, fields != nil, isOwn {
            if form == .atom, name.local == "link", value("rel") ?? "alternate" == "alternate", fields?["link"] == nil {
                fields?["link"] = value("href")
            } else if form.fields.contains(name.local), field == nil, fields?[name.local] == nil {
                field = (name.local, depth)
                fields?[name.local] = ""
                isMarkup[name.local] = form == .rss || value("type") == "html"
                if name.local == "guid", value("isPermaLink") == "false" { fields?["isOpaque"] = "" }
            }
        }
    }

    private mutating func end() {
        if let field, field.depth == depth { self.field = nil }
        if let form, depth == form.entryDepth, let fields {
            if let entry = form == .rss ? item(fields) : entry(fields) { entries.append(entry) }
            self.fields = nil
        }
        depth -= 1
    }

    private func item(_ fields: [String: String]) -> Post? {
        let guid = fields["guid"] ?? ""
        let link = fields["link"] ?? (fields["isOpaque"] == nil ? guid : "")
        return entry(
            id: guid, title: fields["title"] ?? "", link: link, summary: text("description", fields),
            published: FeedDate.microseconds(ofMail: fields["pubDate"] ?? ""))
    }

    private func entry(_ fields: [String: String]) -> Post? {
        entry(
            id: fields["id"] ?? "", title: text("title", fields), link: fields["link"] ?? "",
            summary: text(fields["summary"] == nil ? "content" : "summary", fields),
            published: FeedDate.microseconds(ofInternet: fields["published"] ?? fields["updated"] ?? ""))
    }

    private func entry(id: String, title: String, link: String, summary: String, published: Int64?) -> Post? {
        let link = address.resolving(link.plain(bytesMax: Self.linkBytesMax)).flatMap { link.isEmpty ? nil : $0.text } ?? ""
        var title = title.plain(bytesMax: Self.titleBytesMax)
        if title.isEmpty { title = link.plain(bytesMax: Self.titleBytesMax) }
        guard !title.isEmpty else { return nil }
        // A truncated id could equal that of another entry. A character and the space before it have up to five bytes.
        let names = [id.plain(bytesMax: Self.keyBytesMax + 5), link]
        return Post(
            key: names.first { !$0.isEmpty && $0.utf8.count <= Self.keyBytesMax } ?? title, title: title, link: link,
            summary: summary.plain(bytesMax: Self.summaryBytesMax), published: published ?? 0)
    }

    private func text(_ name: String, _ fields: [String: String]) -> String {
        let text = fields[name] ?? ""
        return isMarkup[name] == true ? text.withoutMarkup : text
    }
}
