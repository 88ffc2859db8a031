import Chronicle
import FeatureRepositories

struct BundledRepositories: RepositorySource {
    func mostStarred(_ language: String, _ ticket: CommandTicket) async throws(CommandFailure) -> [Repository] {
        try ticket.pause(.seconds(1))
        guard let index = Self.lists.firstIndex(where: { $0.language.utf8.elementsEqual(language.utf8) }) else { return [] }
        return Self.lists[index].lines.enumerated().map { place, line in
            Repository(
                id: UInt64(index + 1) * 100 + UInt64(place + 1), fullName: line.name, description: line.description,
                url: "https://github.com/\(line.name)", stars: line.stars)
        }
    }

    private typealias Line = (name: String, description: String, stars: Int64)

    private static let lists: [(language: String, lines: [Line])] = [
        (
            "Swift",
            [
                ("vsouza/awesome-ios", "A curated list of awesome iOS ecosystem", 48_300),
                ("exelban/stats", "macOS system monitor in your menu bar", 31_600),
                ("Alamofire/Alamofire", "Elegant HTTP networking in Swift", 42_000),
                ("apple/swift-nio", "Event-driven network application framework", 8_200),
                ("vapor/vapor", "A server-side Swift HTTP web framework", 25_200),
                ("ReactiveX/RxSwift", "Reactive programming in Swift", 24_500),
                (
                    "pointfreeco/swift-composable-architecture", "Build applications in a consistent way, with tests in mind",
                    13_500
                ),
                ("realm/SwiftLint", "A tool to enforce Swift style and conventions", 19_000),
            ]
        ),
        (
            "Objective-C",
            [
                ("AFNetworking/AFNetworking", "A delightful networking framework", 33_300),
                ("SDWebImage/SDWebImage", "Asynchronous image downloader with cache support", 25_200),
                ("gnachman/iTerm2", "A terminal emulator for macOS that does amazing things", 15_700),
                ("SnapKit/Masonry", "Harness the power of AutoLayout with a simplified syntax", 18_000),
                ("ReactiveCocoa/ReactiveObjC", "", 2_100),
                ("ccgus/fmdb", "A wrapper around SQLite", 13_800),
            ]
        ),
        (
            "Java",
            [
                ("iluwatar/java-design-patterns", "Design patterns implemented in Java", 91_000),
                ("spring-projects/spring-boot", "Stand-alone applications with minimal fuss", 76_500),
                ("elastic/elasticsearch", "Free and open source, distributed, RESTful search engine", 72_000),
                ("google/guava", "Core libraries for Java", 50_500),
                ("ReactiveX/RxJava", "Reactive extensions for the JVM", 48_000),
                ("square/retrofit", "A type-safe HTTP client", 43_400),
            ]
        ),
        (
            "C",
            [
                ("torvalds/linux", "Linux kernel source tree", 190_000),
                ("netdata/netdata", "Real-time monitoring", 74_000),
                ("redis/redis", "An in-memory database that persists on disk", 68_500),
                ("git/git", "The stupid content tracker", 54_000),
                ("curl/curl", "A tool and library for transferring data with URLs", 37_000),
                ("LMDB/lmdb", "", 2_700),
            ]
        ),
        (
            "C++",
            [
                ("tensorflow/tensorflow", "Machine learning for everyone", 188_000),
                ("electron/electron", "Build cross-platform desktop applications with web technologies", 115_000),
                ("bitcoin/bitcoin", "Integration and staging tree", 81_000),
                ("opencv/opencv", "Open source computer vision library", 80_500),
                ("nlohmann/json", "JSON for modern C++", 44_500),
                ("facebook/rocksdb", "An embeddable, persistent key-value store for fast storage", 29_500),
            ]
        ),
        (
            "Python",
            [
                ("public-apis/public-apis", "A collective list of free APIs", 330_000),
                ("vinta/awesome-python", "An opinionated list of awesome Python frameworks and libraries", 236_000),
                ("yt-dlp/yt-dlp", "A feature-rich command-line audio and video downloader", 100_000),
                ("django/django", "The web framework for perfectionists with deadlines", 82_500),
                ("pallets/flask", "A micro framework for building web applications", 69_000),
                ("psf/requests", "A simple, yet elegant, HTTP library", 52_500),
            ]
        ),
        (
            "C#",
            [
                ("microsoft/PowerToys", "Utilities to maximise productivity", 115_000),
                ("jellyfin/jellyfin", "The free software media system", 37_000),
                ("dotnet/aspnetcore", "A cross-platform framework for building web applications", 36_000),
                ("ppy/osu", "Rhythm is just a click away", 15_800),
                ("AutoMapper/AutoMapper", "A convention-based object-object mapper", 10_100),
                ("reactiveui/refit", "The automatic type-safe REST library", 8_800),
            ]
        ),
    ].map { list in (list.0, list.1.sorted { $0.2 > $1.2 }) }
}
