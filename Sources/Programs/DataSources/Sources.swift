public import Chronicle
public import Dates
public import FeaturePosts
public import FeatureRepositories
public import FeatureTodos
import Glibc

/// The external systems that commands call; by default this is the bundled data, which needs no network.
public struct Sources: Sendable {
    public var todos: any TodoSource = BundledTodos()
    public var posts: any PostSource = BundledPosts()
    public var stars: any StarTarget = BundledStars()
    public var repositories: any RepositorySource = BundledRepositories()
    public var reminders: any ReminderTarget = ReminderProgram()
    public var clock = LocalClock.machine

    public init() {}
}

public protocol TodoSource: Sendable {
    func titles(_ ticket: CommandTicket) async throws(CommandFailure) -> [String]
}

public protocol PostSource: Sendable {
    /// Returns a page, counted from 1. A page after the last is empty.
    func page(_ page: Int64, _ ticket: CommandTicket) async throws(CommandFailure) -> PostPage
}

public struct PostPage: Sendable, Equatable {
    public var posts: [Post]
    /// The number of the next page; 0 on the last page.
    public var nextPage: Int64

    public init(posts: [Post], nextPage: Int64) { (self.posts, self.nextPage) = (posts, nextPage) }
}

public protocol StarTarget: Sendable {
    /// Adds or removes a star; idempotent.
    func set(_ id: String, starred: Bool, _ ticket: CommandTicket) async throws(CommandFailure)
}

public protocol RepositorySource: Sendable {
    func mostStarred(_ language: String, _ ticket: CommandTicket) async throws(CommandFailure) -> [Repository]
}

public protocol ReminderTarget: Sendable {
    /// The ticket's id is the same for all attempts.
    func remind(_ reminder: Reminder, _ ticket: CommandTicket) async throws(CommandFailure)
}

public struct Reminder: Sendable, Equatable {
    public var id: UInt64
    /// The current title.
    public var title: String
    /// The due date, such as `2026-12-01T14:30`, or empty.
    public var due: String

    public init(id: UInt64, title: String, due: String = "") {
        self.id = id
        self.title = title
        self.due = due
    }
}

public struct LocalClock: Sendable {
    public var now: @Sendable () -> Int64
    public var zone: Zone

    public init(zone: Zone, now: @escaping @Sendable () -> Int64) {
        self.zone = zone
        self.now = now
    }

    /// Microseconds until a minute or the start of a day on the wall clock; negative if it has passed.
    public func microseconds(until time: FeatureTodos.Due) -> Int64 {
        guard let day = Day(year: time.year, month: time.month, day: time.day) else { return 0 }
        return (zone.instant(day, (time.minute ?? 0) * 60) * 1_000_000).subtractingReportingOverflow(now()).partialValue
    }
}

extension LocalClock {
    /// The machine's clock, in the zone of TZ or of the machine.
    public static let machine = LocalClock(
        zone: Zone { seconds in
            var time = time_t(seconds)
            var parts = tm()
            // Notices a change of the machine's time zone.
            tzset()
            guard localtime_r(&time, &parts) != nil else { return 0 }
            return parts.tm_gmtoff
        },
        now: {
            var time = timespec()
            clock_gettime(CLOCK_REALTIME, &time)
            return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
        })
}
