import FeaturePosts
import Testing

@testable import HTTPSources

@Suite struct `The reader of feeds` {
    func read(_ text: String, from address: String = "https://example.org/blog/feed") throws -> FeedReader {
        let scanner = XMLScanner()
        var reader = FeedReader(from: try #require(WebAddress(address)))
        for event in try scanner.events(in: Array(text.utf8)) { reader.take(event) }
        for event in try scanner.events(in: nil) { reader.take(event) }
        return reader
    }

    @Test func `RSS is read`() throws {
        let reader = try read(
            """
            <?xml version="1.0"?>
            <rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:media="http://search.yahoo.com/mrss/"><channel>
              <title>A blog</title><link>https://example.org</link>
              <atom:link rel="self" href="https://example.org/blog/feed"/>
              <atom:link rel="next" href="?page=2"/>
              <item>
                <title>Tom &amp; Jerry</title><media:title>not this</media:title>
                <link>https://example.org/1</link><guid isPermaLink="false">one</guid>
                <description>&lt;p&gt;First&lt;/p&gt;&lt;p&gt;second &amp;amp; last&lt;/p&gt;</description>
                <pubDate>Wed, 02 Oct 2002 15:00:00 +0200</pubDate>
              </item>
              <item><title><![CDATA[Array<Int>]]></title><guid>https://example.org/2</guid></item>
              <item><link>/3</link></item>
              <item><description>neither title nor link</description></item>
            </channel></rss>
            """)
        #expect(reader.isFeed)
        #expect(reader.next?.text == "https://example.org/blog/feed?page=2")
        #expect(
            reader.entries == [
                Post(
                    key: "one", title: "Tom & Jerry", link: "https://example.org/1", summary: "First second & last",
                    published: 1_033_563_600_000_000),
                Post(key: "https://example.org/2", title: "Array<Int>", link: "https://example.org/2"),
                Post(key: "https://example.org/3", title: "https://example.org/3", link: "https://example.org/3"),
            ])
    }

    @Test func `Atom is read`() throws {
        let reader = try read(
            """
            <feed xmlns="http://www.w3.org/2005/Atom">
              <title>A blog</title><id>urn:blog</id><link href="/"/><link rel="next" href="/blog/feed/2"/>
              <entry>
                <id>urn:1</id><title type="html">R&amp;amp;D &lt;b&gt;now&lt;/b&gt;</title>
                <link rel="enclosure" href="/sound"/><link href="/1"/><link rel="alternate" href="/other"/>
                <summary>as &lt;it&gt; is</summary><content type="html">not this</content>
                <published>2003-12-13T18:30:02.25Z</published><updated>2004-01-01T00:00:00Z</updated>
                <source><id>urn:other</id><title>not this</title></source>
              </entry>
              <entry>
                <title type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">two <b>words</b></div></title>
                <link href="javascript:alert(1)"/><content>long</content><updated>2004-01-01T00:00:00+01:00</updated>
              </entry>
            </feed>
            """)
        #expect(reader.next?.text == "https://example.org/blog/feed/2")
        #expect(
            reader.entries == [
                Post(
                    key: "urn:1", title: "R&D now", link: "https://example.org/1", summary: "as <it> is",
                    published: 1_071_340_202_250_000),
                Post(key: "two words", title: "two words", summary: "long", published: 1_072_911_600_000_000),
            ])
    }

    @Test(arguments: ["http://example.org/blog/feed?page=2", "https://other.example/feed", "file:///etc/passwd", "//10.0.0.1/"])
    func `the link to the next page is read only within the feed element`(reference: String) throws {
        let text = "<feed xmlns='http://www.w3.org/2005/Atom'><link rel='next' href='\(reference)'/></feed>"
        #expect(try read(text).next == nil)
    }

    @Test(arguments: ["<html><body/></html>", "<feed/>", "<rdf:RDF xmlns:rdf='urn:rdf'/>"])
    func `a document that is not a feed is recognized`(text: String) throws {
        #expect(try !read(text).isFeed)
    }

    @Test func `entries above the limit are dropped`() throws {
        let items = (1...10_000).map { "<item><title>Post \($0)</title></item>" }.joined()
        let reader = try read("<rss version='2.0'><channel>\(items)</channel></rss>")
        #expect(reader.isFull)
        #expect(reader.entries.count == FeedReader.entriesMax)
        #expect(reader.entries.last?.title == "Post 500")
    }

    @Test func `long values are truncated, and a partial name is not taken for a name`() throws {
        let long = String(repeating: "é", count: 100_000)
        let reader = try read(
            "<rss version='2.0'><channel><item><title>\(long)</title><guid isPermaLink='false'>\(long)</guid>"
                + "<description>\(long)</description><link>https://example.org/1</link></item></channel></rss>")
        let entry = try #require(reader.entries.first)
        #expect(entry.title.utf8.count == FeedReader.titleBytesMax)
        #expect(entry.summary.utf8.count == FeedReader.summaryBytesMax)
        #expect(entry.key == "https://example.org/1")
    }

    @Test(arguments: [
        ("a\n b\t c", "a b c"), ("  a  ", "a"), ("\u{1B}[31mred", "[31mred"), ("a\u{202E}b", "a b"), ("👩‍💻 x", "👩‍💻 x"), ("", ""),
    ])
    func `text is put on one line without control characters`(text: String, plain: String) {
        #expect(text.plain(bytesMax: 100) == plain)
    }

    @Test(arguments: [
        ("<p>a</p>b", " a b"), ("1 &lt; 2 &amp; 3", "1 < 2 & 3"), ("a & b &c; &#65;&#x42;", "a & b &c; AB"), ("x <b", "x "),
        ("&#xD800;&#1114112;", "&#xD800;&#1114112;"),
    ])
    func `markup is removed from text`(text: String, plain: String) {
        #expect(text.withoutMarkup == plain)
    }

    @Test(arguments: [
        ("Wed, 02 Oct 2002 13:00:00 GMT", 1_033_563_600), ("2 Oct 2002 13:00 EST", 1_033_581_600),
        ("Wed, 02 Oct 02 13:00:00 -0130", 1_033_569_000), ("Thu, 01 Jan 1970 00:00:00 +0000", 0),
        ("29 Feb 2024 00:00:00 Z", 1_709_164_800), ("Wed, 32 Oct 2002 13:00:00 GMT", nil),
        ("02 Oct 2002 25:00:00 GMT", nil), ("02 Oct 2002 13:00:00 XYZ", nil), ("yesterday", nil), ("", nil),
        ("99999999999999999999 Oct 2002 13:00:00 GMT", nil),
    ])
    func `dates in the format of mail are read`(text: String, seconds: Int64?) {
        #expect(FeedDate.microseconds(ofMail: text) == seconds.map { $0 * 1_000_000 })
    }

    @Test(arguments: [
        ("2003-12-13T18:30:02Z", 1_071_340_202_000_000), ("2003-12-13t18:30:02.25+01:00", 1_071_336_602_250_000),
        ("2003-12-13T18:30:02.123456789Z", 1_071_340_202_123_456), ("2000-02-29T00:00:00Z", 951_782_400_000_000),
        ("2003-12-13", nil), ("2003-12-13T18:30:02", nil), ("2003-13-13T18:30:02Z", nil), ("2003-12-13T18:30:02.Z", nil),
        ("T", nil), ("", nil),
    ])
    func `dates in the format of RFC 3339 are read`(text: String, microseconds: Int64?) {
        #expect(FeedDate.microseconds(ofInternet: text) == microseconds)
    }
}
