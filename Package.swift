// swift-tools-version: 6.2
import PackageDescription

/// Strict from the first commit; the reasons stand in CONTRIBUTING.md.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let configuration = Target.Dependency.product(name: "Configuration", package: "swift-configuration")
let metrics = Target.Dependency.product(name: "CoreMetrics", package: "swift-metrics")
let customDump = Target.Dependency.product(name: "CustomDump", package: "swift-custom-dump")
let issueReporting = Target.Dependency.product(name: "IssueReporting", package: "xctest-dynamic-overlay")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let unixSignals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioHTTP = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let httpClient = Target.Dependency.product(name: "AsyncHTTPClient", package: "async-http-client")

let package = Package(
    name: "todod",
    products: [
        .executable(name: "todod", targets: ["todod"]),
        .executable(name: "todoctl", targets: ["todoctl"]),
        .library(name: "EventSourcedDaemon", targets: ["EventSourcedDaemon"]),
        .library(name: "StoreRuntime", targets: ["Reducing", "ActionCoding", "StoreRuntime"]),
        .library(name: "ActionLogs", targets: ["ActionLogs"]),
        .library(name: "DiskLog", targets: ["DiskLog"]),
        .library(name: "Features", targets: ["AppFeature", "PersistentCollections", "PostsFeature", "TodosFeature"]),
        .library(name: "StoreTesting", targets: ["StoreTesting"]),
        .library(name: "TodoClient", targets: ["Reducing", "TodoAPI", "TodoClient", "Varlink"]),
        .library(name: "Varlink", targets: ["Varlink", "VarlinkNIO"]),
    ],
    // A build with this trait can be told to die at a named place; see CrashPoints.swift.
    traits: [.trait(name: "CrashPoints", description: "Lets tests kill the daemon at named places.")],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0", traits: []),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/pointfreeco/swift-custom-dump", from: "1.7.3"),
        .package(url: "https://github.com/pointfreeco/xctest-dynamic-overlay", from: "1.13.1"),
    ],
    targets: [
        // What is true.
        .target(name: "Reducing", swiftSettings: strict),
        .target(name: "ActionCoding", swiftSettings: strict),
        .target(name: "PersistentCollections", swiftSettings: strict),
        .target(name: "Restoring", dependencies: ["ActionCoding", "PersistentCollections", "Reducing"], swiftSettings: strict),
        .target(
            name: "TodosFeature", dependencies: ["ActionCoding", "PersistentCollections", "Reducing", "Restoring"],
            path: "Sources/Features/Todos", swiftSettings: strict),
        .target(
            name: "CounterFeature", dependencies: ["ActionCoding", "Reducing"], path: "Sources/Features/Counter",
            swiftSettings: strict),
        .target(
            name: "AlertsFeature", dependencies: ["ActionCoding", "PersistentCollections", "Reducing", "Restoring"],
            path: "Sources/Features/Alerts", swiftSettings: strict),
        .target(
            name: "PostsFeature", dependencies: ["ActionCoding", "PersistentCollections", "Reducing", "Restoring"],
            path: "Sources/Features/Posts", swiftSettings: strict),
        .target(
            name: "StarsFeature", dependencies: ["ActionCoding", "Reducing"], path: "Sources/Features/Stars",
            swiftSettings: strict),
        .target(
            name: "RepositoriesFeature", dependencies: ["ActionCoding", "PersistentCollections", "Reducing", "Restoring"],
            path: "Sources/Features/Repositories", swiftSettings: strict),
        .target(
            name: "FlowsFeature", dependencies: ["ActionCoding", "PersistentCollections", "Reducing", "Restoring"],
            path: "Sources/Features/Flows", swiftSettings: strict),
        .target(
            name: "AppFeature",
            dependencies: [
                "ActionCoding", "AlertsFeature", "CounterFeature", "FlowsFeature", "PersistentCollections", "PostsFeature",
                "Reducing",
                "RepositoriesFeature", "StarsFeature", "TodosFeature",
            ],
            path: "Sources/Features/App", swiftSettings: strict),

        .target(name: "Expressions", dependencies: ["Reducing"], exclude: ["EXPRESSIONS.md"], swiftSettings: strict),

        // How it is kept: in memory, with nothing but Swift and a few calls for threads and clocks.
        .target(
            name: "ActionLogs", dependencies: ["ActionCoding"], exclude: ["FORMAT.md"], swiftSettings: strict),
        .target(name: "CMachine"),
        .target(
            name: "StoreRuntime", dependencies: ["ActionCoding", "ActionLogs", "CMachine", "Reducing"], swiftSettings: strict),
        // And on disk.
        .systemLibrary(name: "CLMDB", pkgConfig: "lmdb", providers: [.apt(["liblmdb-dev"])]),
        .target(name: "LMDB", dependencies: ["CLMDB"], swiftSettings: strict),
        .target(name: "DiskLog", dependencies: ["ActionCoding", "ActionLogs", "CMachine", "LMDB"], swiftSettings: strict),

        .target(
            name: "CommandRunning", dependencies: ["ActionCoding", "ActionLogs", "Reducing", "StoreRuntime"],
            swiftSettings: strict),
        .target(
            name: "TimeTravel", dependencies: ["ActionCoding", "ActionLogs", "Expressions", "Reducing", "StoreRuntime"],
            swiftSettings: strict),

        .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
        .target(name: "Zstandard", dependencies: ["CZstd"], swiftSettings: strict),

        // How it is said.
        .target(name: "Varlink", swiftSettings: strict),
        .target(name: "VarlinkNIO", dependencies: ["Varlink", nioCore, nioPosix], swiftSettings: strict),
        .executableTarget(name: "InterfaceGenerator", dependencies: ["Varlink"], swiftSettings: strict),
        .plugin(name: "GenerateInterfaces", capability: .buildTool(), dependencies: ["InterfaceGenerator"]),
        .target(
            name: "TodoAPI", dependencies: ["Reducing", "Varlink"], exclude: ["Interfaces"], swiftSettings: strict,
            plugins: ["GenerateInterfaces"]),

        // How it is asked: by a client that waits for each answer.
        .target(name: "TodoClient", dependencies: ["TodoAPI", "Varlink"], swiftSettings: strict),

        // Where data comes from, and who does the work of commands.
        .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
        .target(
            name: "Effects",
            dependencies: [
                "AppFeature", "PostsFeature", "Reducing", "RepositoriesFeature", "StarsFeature", "TodosFeature", "Varlink",
            ],
            swiftSettings: strict),
        .target(
            name: "HTTPSources",
            dependencies: [
                "CExpat", "Effects", "PostsFeature", "Reducing", "RepositoriesFeature", "Varlink", httpClient, nioCore, nioHTTP,
                nioPosix, nioSSL,
            ],
            swiftSettings: strict),

        // The daemon around a store, for any app.
        .target(
            name: "EventSourcedDaemon",
            dependencies: [
                "ActionCoding", "ActionLogs", "CommandRunning", "DiskLog", "Expressions", "PersistentCollections", "Reducing",
                "Restoring", "StoreRuntime", "TimeTravel", "TodoAPI", "Varlink", "VarlinkNIO", "Zstandard", argumentParser,
                configuration,
                lifecycle, logging, metrics, unixSignals,
            ],
            path: "Sources/Service", swiftSettings: strict),

        // The two programs.
        .plugin(name: "Fingerprint", capability: .buildTool()),
        .executableTarget(
            name: "todod",
            dependencies: ["AppFeature", "Effects", "EventSourcedDaemon", "HTTPSources", "TodoAPI", "TodosFeature"],
            exclude: ["Manual"], swiftSettings: strict,
            // Packed relocations and no exported symbols: four of the megabytes that an idle daemon would keep resident.
            linkerSettings: [
                .unsafeFlags(
                    ["-use-ld=lld", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs", "-Xlinker", "--no-export-dynamic"],
                    .when(configuration: .release))
            ],
            plugins: ["Fingerprint"]),
        .executableTarget(
            name: "todoctl", dependencies: ["Reducing", "TodoAPI", "TodoClient", "Varlink", argumentParser], exclude: ["Manual"],
            swiftSettings: strict,
            linkerSettings: [.unsafeFlags(["-static-executable"], .when(configuration: .release))]),

        // Tests, and what tests of a feature or a store are made with.
        .target(
            name: "StoreTesting", dependencies: ["ActionLogs", "Reducing", customDump, issueReporting],
            swiftSettings: strict),
        .testTarget(
            name: "StoreTestingTests",
            dependencies: [
                "ActionLogs", "Reducing", "StoreTesting",
                .product(name: "IssueReportingTestSupport", package: "xctest-dynamic-overlay"),
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "CrashingRunner",
            dependencies: ["ActionCoding", "ActionLogs", "CommandRunning", "DiskLog", "Reducing", "StoreRuntime"],
            path: "Tests/CrashingRunner", swiftSettings: strict),
        .target(name: "TestSupport", dependencies: ["Reducing"], path: "Tests/TestSupport", swiftSettings: strict),
        .testTarget(name: "ActionCodingTests", dependencies: ["ActionCoding", "TestSupport"], swiftSettings: strict),
        .testTarget(name: "ReducingTests", dependencies: ["Reducing"], swiftSettings: strict),
        .testTarget(
            name: "TodosFeatureTests",
            dependencies: ["ActionCoding", "PersistentCollections", "Reducing", "StoreTesting", "TestSupport", "TodosFeature"],
            swiftSettings: strict),
        .testTarget(
            name: "AlertsFeatureTests",
            dependencies: [
                "ActionCoding", "AlertsFeature", "PersistentCollections", "Reducing", "Restoring", "StoreTesting", "TestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "PostsFeatureTests",
            dependencies: [
                "ActionCoding", "PersistentCollections", "PostsFeature", "Reducing", "Restoring", "StoreTesting", "TestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "StarsFeatureTests",
            dependencies: ["ActionCoding", "Reducing", "StarsFeature", "StoreTesting", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "CounterFeatureTests", dependencies: ["ActionCoding", "CounterFeature", "Reducing", "StoreTesting"],
            swiftSettings: strict),
        .testTarget(
            name: "RepositoriesFeatureTests",
            dependencies: [
                "ActionCoding", "PersistentCollections", "Reducing", "RepositoriesFeature", "Restoring", "StoreTesting",
                "TestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "FlowsFeatureTests",
            dependencies: [
                "ActionCoding", "FlowsFeature", "PersistentCollections", "Reducing", "Restoring", "StoreTesting", "TestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "AppFeatureTests",
            dependencies: [
                "ActionCoding", "ActionLogs", "AlertsFeature", "AppFeature", "CounterFeature", "FlowsFeature",
                "PersistentCollections", "PostsFeature", "Reducing", "RepositoriesFeature", "StarsFeature", "StoreTesting",
                "TestSupport", "TodosFeature",
            ],
            exclude: ["Golden"], swiftSettings: strict),
        .testTarget(
            name: "ActionLogsTests", dependencies: ["ActionCoding", "ActionLogs", "DiskLog", "LMDB", "TestSupport"],
            exclude: ["Golden"], swiftSettings: strict),
        .testTarget(
            name: "PersistentCollectionsTests", dependencies: ["PersistentCollections", "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "RestoringTests",
            dependencies: ["ActionCoding", "PersistentCollections", "Reducing", "Restoring", "TestSupport"],
            swiftSettings: strict),
        .testTarget(name: "LMDBTests", dependencies: ["LMDB", "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "StoreRuntimeTests",
            dependencies: [
                "ActionCoding", "ActionLogs", "CounterFeature", "DiskLog", "Reducing", "StoreRuntime", "StoreTesting",
            ],
            swiftSettings: strict),
        .testTarget(name: "ZstandardTests", dependencies: ["TestSupport", "Zstandard"], swiftSettings: strict),
        .testTarget(name: "ExpressionsTests", dependencies: ["Expressions", "Reducing", "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "TimeTravelTests",
            dependencies: [
                "ActionCoding", "ActionLogs", "AlertsFeature", "AppFeature", "CounterFeature", "DiskLog", "Expressions",
                "FlowsFeature", "PersistentCollections", "PostsFeature", "Reducing", "RepositoriesFeature", "StarsFeature",
                "StoreRuntime",
                "StoreTesting", "TestSupport", "TimeTravel", "TodosFeature",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "CommandRunningTests",
            dependencies: [
                "ActionCoding", "ActionLogs", "CommandRunning", "DiskLog", "Reducing", "StoreRuntime", "StoreTesting",
                "TestSupport",
            ],
            swiftSettings: strict),
        .testTarget(name: "VarlinkTests", dependencies: ["TestSupport", "Varlink"], swiftSettings: strict),
        .testTarget(name: "VarlinkNIOTests", dependencies: ["Varlink", "VarlinkNIO"], swiftSettings: strict),
        .testTarget(
            name: "TodoAPITests", dependencies: ["Reducing", "TestSupport", "TodoAPI", "Varlink"], swiftSettings: strict),
        .testTarget(
            name: "TodoctlTests",
            dependencies: ["Expressions", "Reducing", "TodoAPI", "TodoClient", "Varlink", "todoctl", argumentParser],
            swiftSettings: strict),
        .testTarget(
            name: "EventSourcedDaemonTests",
            dependencies: [
                "EventSourcedDaemon", "TestSupport", argumentParser, lifecycle, logging, metrics,
                .product(name: "ServiceLifecycleTestKit", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "TododTests", dependencies: ["AppFeature", "EventSourcedDaemon", "HTTPSources", "todod"], swiftSettings: strict),
        .testTarget(
            name: "DaemonTests",
            dependencies: [
                "ActionLogs", "CrashingRunner", "DiskLog", "TestSupport", "TodoAPI", "TodoClient", "Varlink", "todoctl", "todod",
            ],
            exclude: ["Golden", "python"],
            swiftSettings: strict),
        .testTarget(
            name: "EffectsTests",
            dependencies: [
                "AppFeature", "Effects", "PostsFeature", "Reducing", "RepositoriesFeature", "StarsFeature", "StoreTesting",
                "TestSupport", "TodosFeature",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "HTTPSourcesTests",
            dependencies: [
                "Effects", "HTTPSources", "PostsFeature", "Reducing", "RepositoriesFeature", "StoreTesting", "TestSupport",
                nioCore,
                nioHTTP, nioPosix,
            ],
            swiftSettings: strict),
        .testTarget(name: "TidyTests", swiftSettings: strict),
    ]
)
