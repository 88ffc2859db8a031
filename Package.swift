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
let customDump = Target.Dependency.product(name: "CustomDump", package: "swift-custom-dump")
let issueReporting = Target.Dependency.product(name: "IssueReporting", package: "xctest-dynamic-overlay")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let unixSignals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioHTTP = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")

/// Where the targets stand in `Sources`; features say it themselves.
let folders = [
    "State": ["Dates", "Expressions", "Fields", "PersistentCollections", "Reducing", "TodoRules", "Values"],
    "Log": ["CLMDB", "CZstd", "DiskLog", "Etcd", "LMDB", "Records", "ReplicatedLog", "Zstandard"],
    "HTTP": ["CCurl", "Curl"],
    "Store": ["CMachine", "CommandRunning", "StoreRuntime", "StoreSimulation", "StoreTesting", "TimeTravel"],
    "Wire": ["InterfaceGenerator", "TodoAPI", "TodoClient", "Varlink", "VarlinkInterfaces", "VarlinkNIO"],
    "Service": ["EventSourcedDaemon", "LinuxService"],
    "Programs": [
        "CExpat", "CNcursesw", "CProcess", "CTerminal", "DataSources", "HTTPSources", "Terminal", "TodoDaemon", "TodoFormats",
        "todoctl", "todod", "todoweb",
    ],
]

/// A feature imports nothing but what names its fields, and above all others the app.
func feature(_ name: String, uses others: [Target.Dependency] = []) -> Target {
    .target(name: "Feature" + name, dependencies: ["Fields"] + others, path: "Sources/Features/" + name)
}

func featureTests(_ name: String) -> Target {
    .testTarget(
        name: "Feature" + name + "Tests",
        dependencies: ["Fields", .byName(name: "Feature" + name), "StoreTesting", "TestSupport"])
}

let package = Package(
    name: "todod",
    products: [
        .executable(name: "todod", targets: ["todod"]),
        .executable(name: "todoctl", targets: ["todoctl"]),
        .executable(name: "todoweb", targets: ["todoweb"]),
        .library(name: "EventSourcedDaemon", targets: ["EventSourcedDaemon"]),
        .library(name: "StoreRuntime", targets: ["Reducing", "StoreRuntime", "Values"]),
        .library(name: "Records", targets: ["Records"]),
        .library(name: "DiskLog", targets: ["DiskLog"]),
        .library(name: "Features", targets: ["FeatureApp", "FeaturePosts", "FeatureTodos", "PersistentCollections"]),
        .library(name: "StoreTesting", targets: ["StoreSimulation", "StoreTesting"]),
        .library(name: "TodoClient", targets: ["Reducing", "TodoAPI", "TodoClient", "Varlink"]),
        .library(name: "Varlink", targets: ["Varlink", "VarlinkNIO"]),
    ],
    traits: [
        // Who uses the libraries alone leaves it out with `traits: []`: then nothing of etcd or HTTP is built.
        .default(enabledTraits: ["Cluster"]),
        .trait(name: "Cluster", description: "Lets several machines share a log over etcd."),
        // A build with this trait can be told to die at a named place; see CrashPoints.swift. Traits that are named replace the default.
        .trait(
            name: "CrashPoints", description: "Lets tests kill the daemon at named places.", enabledTraits: ["Cluster"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/pointfreeco/swift-custom-dump", from: "1.7.3"),
        .package(url: "https://github.com/pointfreeco/xctest-dynamic-overlay", from: "1.13.1"),
    ],
    targets: [
        // What is true.
        .target(name: "Values"),
        .target(name: "Reducing", dependencies: ["Values"]),
        .target(name: "PersistentCollections"),
        .target(name: "Fields", dependencies: ["PersistentCollections", "Reducing", "Values"]),
        feature("Todos", uses: ["Dates", "TodoRules"]),
        feature("Counter"), feature("Alerts"), feature("Posts"), feature("Stars"), feature("Repositories"),
        feature("Flows"), feature("Views"),
        feature(
            "App",
            uses: [
                "FeatureAlerts", "FeatureCounter", "FeatureFlows", "FeaturePosts", "FeatureRepositories", "FeatureStars",
                "FeatureTodos", "FeatureViews",
            ]),

        .target(name: "Expressions", dependencies: ["Reducing", "Values"], exclude: ["EXPRESSIONS.md"]),
        .target(name: "Dates", dependencies: ["Values"]),
        .target(name: "TodoRules"),

        // How it is kept: in memory, with nothing but Swift and a few calls for threads and clocks.
        .target(
            name: "Records", dependencies: ["Values"], exclude: ["FORMAT.md"]),
        .target(name: "CMachine"),
        .target(
            name: "StoreRuntime", dependencies: ["CMachine", "Expressions", "Records", "Reducing", "Values"]),
        // And on disk.
        .systemLibrary(name: "CLMDB", pkgConfig: "lmdb", providers: [.apt(["liblmdb-dev"])]),
        .target(name: "LMDB", dependencies: ["CLMDB"]),
        .target(name: "DiskLog", dependencies: ["CMachine", "LMDB", "Records", "Values", "Zstandard"]),
        // And on several machines.
        .target(name: "Etcd", dependencies: ["Curl", "Values"]),
        .target(name: "ReplicatedLog", dependencies: ["CMachine", "Etcd", "Records", "Values"]),

        .target(
            name: "CommandRunning", dependencies: ["Records", "Reducing", "StoreRuntime", "Values"]),
        .target(
            name: "TimeTravel", dependencies: ["Expressions", "Records", "Reducing", "StoreRuntime", "Values"]),

        .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
        .target(name: "Zstandard", dependencies: ["CZstd"]),

        // HTTP, for sources on the web and for the members of a cluster.
        // From libcurl4-openssl-dev. It is loaded with the first request, and not linked.
        .target(name: "CCurl"),
        .target(name: "Curl", dependencies: ["CCurl", "CMachine"]),

        // How it is said.
        .target(name: "VarlinkInterfaces"),
        .target(name: "Varlink", dependencies: ["Values", "VarlinkInterfaces"]),
        .target(name: "VarlinkNIO", dependencies: ["Varlink", nioCore, nioPosix]),
        .executableTarget(name: "InterfaceGenerator", dependencies: ["VarlinkInterfaces"]),
        .plugin(name: "GenerateInterfaces", capability: .buildTool(), dependencies: ["InterfaceGenerator"]),
        .target(
            name: "TodoAPI", dependencies: ["Reducing", "Varlink"], exclude: ["Interfaces"],
            plugins: ["GenerateInterfaces"]),

        // How it is asked: by a client that waits for each answer.
        .target(name: "TodoClient", dependencies: ["TodoAPI", "Varlink"]),

        // Where data comes from, and who does the work of commands.
        .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
        .target(
            name: "DataSources",
            dependencies: [
                "CProcess", "Dates", "FeatureApp", "FeatureFlows", "FeaturePosts", "FeatureRepositories", "FeatureStars",
                "FeatureTodos", "Reducing", "TodoRules", "Varlink",
            ]),
        .target(
            name: "HTTPSources",
            dependencies: [
                "CExpat", "Curl", "DataSources", "FeaturePosts", "FeatureRepositories", "Reducing", "Varlink",
            ]),

        // How a daemon lives on a machine, whatever it keeps: settings, places, journal, metrics, and what systemd is told.
        .target(
            name: "LinuxService",
            dependencies: ["TodoAPI", lifecycle, logging, unixSignals]),

        // The daemon around a store, for any app.
        .target(
            name: "EventSourcedDaemon",
            dependencies: [
                "CommandRunning", "DiskLog", .target(name: "Etcd", condition: .when(traits: ["Cluster"])), "Expressions",
                "Fields",
                "LinuxService", "PersistentCollections", "Records", "Reducing",
                .target(name: "ReplicatedLog", condition: .when(traits: ["Cluster"])), "StoreRuntime", "TimeTravel", "TodoAPI",
                "Values", "Varlink",
                "VarlinkNIO",
                "Zstandard", lifecycle, logging, unixSignals,
            ]),

        // And for ours.
        .plugin(name: "FeatureSources", capability: .buildTool()),
        .target(
            name: "TodoDaemon", dependencies: ["DataSources", "EventSourcedDaemon", "FeatureApp", "FeatureTodos"],
            plugins: ["FeatureSources"]),

        // Todos as other programs write them down.
        .target(name: "TodoFormats", dependencies: ["Dates", "TodoRules", "Values"]),

        // What the C library knows of processes, and Swift does not import.
        .systemLibrary(name: "CProcess"),

        // What a terminal shows, as a value; what ncurses knows of terminals, and how one is taken and given back.
        // From libncurses-dev; what its pkg-config file says besides the names of the libraries, the package manager forbids.
        .systemLibrary(name: "CNcursesw"),
        .target(name: "CTerminal"),
        .target(name: "Terminal", dependencies: ["CNcursesw", "CTerminal"]),

        // The programs.
        .executableTarget(
            name: "todod",
            dependencies: ["DataSources", "EventSourcedDaemon", "FeatureApp", "HTTPSources", "TodoAPI", "TodoDaemon"],
            exclude: ["Manual"],
            // Packed relocations and no exported symbols: four of the megabytes that an idle daemon would keep resident.
            linkerSettings: [
                .unsafeFlags(
                    ["-use-ld=lld", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs", "-Xlinker", "--no-export-dynamic"],
                    .when(configuration: .release))
            ]),
        .executableTarget(
            name: "todoctl",
            dependencies: [
                "CMachine", "CProcess", "Dates", "Reducing", "Terminal", "TodoAPI", "TodoClient", "TodoFormats", "TodoRules",
                "Varlink", argumentParser,
            ],
            exclude: ["Manual"],
            // It waits for people and for the daemon; what is read of it at each start is its size.
            swiftSettings: [.unsafeFlags(["-Osize"], .when(configuration: .release))],
            linkerSettings: [.unsafeFlags(["-static-executable"], .when(configuration: .release))]),
        .plugin(name: "PageFiles", capability: .buildTool()),
        .executableTarget(
            name: "todoweb", dependencies: ["TodoAPI", "Values", "Varlink", argumentParser, nioCore, nioHTTP, nioPosix],
            exclude: ["Page"],
            linkerSettings: [.unsafeFlags(["-static-executable"], .when(configuration: .release))],
            plugins: ["PageFiles"]),

        // Tests, and what tests of a feature or a store are made with.
        .target(
            name: "StoreTesting", dependencies: ["Records", "Reducing", customDump, issueReporting]),
        // A target of its own: what tests one feature alone is built without a store.
        .target(
            name: "StoreSimulation",
            dependencies: ["CommandRunning", "Records", "Reducing", "StoreRuntime", "StoreTesting", "Values"]),
        .testTarget(
            name: "StoreTestingTests",
            dependencies: [
                "Fields", "Records", "Reducing", "StoreTesting",
                .product(name: "IssueReportingTestSupport", package: "xctest-dynamic-overlay"),
            ]),
        .executableTarget(
            name: "CrashingRunner",
            dependencies: ["CommandRunning", "DiskLog", "Records", "Reducing", "StoreRuntime", "Values"],
            path: "Tests/CrashingRunner"),
        .target(name: "TestSupport", dependencies: ["Dates", "Reducing"], path: "Tests/TestSupport"),
        // Programs that tests start, and their ends.
        .target(name: "ProcessTesting", dependencies: ["CProcess", "TestSupport"], path: "Tests/ProcessTesting"),
        .testTarget(name: "ValuesTests", dependencies: ["TestSupport", "Values"]),
        .testTarget(name: "ReducingTests", dependencies: ["Reducing"]),
        featureTests("Todos"), featureTests("Alerts"), featureTests("Posts"), featureTests("Stars"), featureTests("Counter"),
        featureTests("Repositories"), featureTests("Flows"), featureTests("Views"),
        .testTarget(
            name: "FeatureAppTests",
            dependencies: [
                "FeatureAlerts", "FeatureApp", "FeatureCounter", "FeatureFlows", "FeaturePosts", "FeatureRepositories",
                "FeatureStars", "FeatureTodos", "FeatureViews", "Fields", "PersistentCollections", "Records", "Reducing",
                "StoreTesting", "TestSupport", "Values",
            ],
            exclude: ["Golden"]),
        .testTarget(
            name: "RecordsTests",
            dependencies: ["DiskLog", "Etcd", "EtcdTesting", "LMDB", "Records", "ReplicatedLog", "TestSupport", "Values"],
            exclude: ["Golden"]),
        .target(
            name: "EtcdTesting", dependencies: ["Etcd", "ProcessTesting", "TestSupport", "Values"], path: "Tests/EtcdTesting"),
        .testTarget(name: "EtcdTests", dependencies: ["Curl", "Etcd", "EtcdTesting", "TestSupport", "Values"]),
        // What clients saw of a log, held against it.
        .target(name: "DispatchHistory", path: "Tests/DispatchHistory"),
        .testTarget(name: "DispatchHistoryTests", dependencies: ["DispatchHistory", "TestSupport"]),
        .testTarget(
            name: "ReplicatedLogTests",
            dependencies: [
                "DiskLog", "Etcd", "EtcdTesting", "FeatureCounter", "Records", "Reducing", "ReplicatedLog", "StoreRuntime",
                "TestSupport",
                "Values",
            ]),
        .testTarget(
            name: "PersistentCollectionsTests", dependencies: ["PersistentCollections", "TestSupport"]),
        .testTarget(
            name: "FieldsTests",
            dependencies: ["PersistentCollections", "Reducing", "Fields", "TestSupport", "Values"]),
        .testTarget(name: "LMDBTests", dependencies: ["LMDB", "TestSupport"]),
        .testTarget(
            name: "StoreRuntimeTests",
            dependencies: [
                "DiskLog", "FeatureCounter", "Fields", "Records", "Reducing", "StoreRuntime", "StoreTesting", "Values",
            ]),
        .testTarget(name: "ZstandardTests", dependencies: ["TestSupport", "Zstandard"]),
        .testTarget(name: "DatesTests", dependencies: ["Dates", "TestSupport"]),
        .testTarget(name: "TerminalTests", dependencies: ["Terminal", "TestSupport"]),
        .testTarget(name: "TodoFormatsTests", dependencies: ["Dates", "TestSupport", "TodoFormats"]),
        .testTarget(name: "ExpressionsTests", dependencies: ["Expressions", "Reducing", "TestSupport"]),
        .testTarget(
            name: "TimeTravelTests",
            dependencies: [
                "DiskLog", "Expressions", "FeatureAlerts", "FeatureApp", "FeatureCounter", "FeatureFlows", "FeaturePosts",
                "FeatureRepositories", "FeatureStars", "FeatureTodos", "FeatureViews", "Fields", "PersistentCollections",
                "Records", "Reducing", "StoreRuntime", "StoreTesting", "TestSupport", "TimeTravel", "Values",
            ],
            exclude: ["Golden"]),
        .testTarget(
            name: "CommandRunningTests",
            dependencies: [
                "CommandRunning", "DiskLog", "Records", "Reducing", "StoreRuntime", "StoreSimulation", "StoreTesting",
                "TestSupport", "Values",
            ]),
        .testTarget(name: "VarlinkTests", dependencies: ["TestSupport", "Varlink"]),
        .testTarget(name: "VarlinkNIOTests", dependencies: ["Varlink", "VarlinkNIO"]),
        .testTarget(
            name: "TodoAPITests", dependencies: ["Reducing", "TestSupport", "TodoAPI", "Varlink"]),
        .testTarget(
            name: "TodoctlTests",
            dependencies: [
                "Dates", "Expressions", "FeatureAlerts", "FeatureApp", "FeatureCounter", "FeatureFlows", "FeaturePosts",
                "FeatureRepositories", "FeatureStars", "FeatureTodos", "FeatureViews", "Fields", "Reducing", "TestSupport",
                "Terminal", "TodoAPI", "TodoClient", "TodoFormats", "Varlink", "todoctl", argumentParser,
            ]),
        .testTarget(name: "TodowebTests", dependencies: ["TestSupport", "TodoAPI", "Values", "Varlink", "todoweb"]),
        .testTarget(
            name: "LinuxServiceTests",
            dependencies: [
                "LinuxService", "TestSupport", lifecycle, logging,
                .product(name: "ServiceLifecycleTestKit", package: "swift-service-lifecycle"),
            ]),
        .testTarget(
            name: "EventSourcedDaemonTests",
            dependencies: [
                "EventSourcedDaemon", "Expressions", "Fields", "LinuxService", "Records", "Reducing", "StoreRuntime",
                "TimeTravel",
                "TodoAPI", "Values", lifecycle, .product(name: "ServiceLifecycleTestKit", package: "swift-service-lifecycle"),
            ]),
        .testTarget(
            name: "TododTests",
            dependencies: [
                "EventSourcedDaemon", "FeatureApp", "FeatureCounter", "Fields", "HTTPSources", "LinuxService", "Records",
                "StoreRuntime", "StoreTesting", "TimeTravel", "TodoDaemon", "todod", logging,
            ]),
        .testTarget(
            name: "DaemonTests",
            dependencies: [
                "CrashingRunner", "DiskLog", "DispatchHistory", "EtcdTesting", "ProcessTesting", "Records", "TestSupport",
                "TodoAPI", "TodoClient", "Varlink", "todoctl", "todod", "todoweb",
            ],
            exclude: ["Golden", "python", "session.txt"]),
        .testTarget(
            name: "DataSourcesTests",
            dependencies: [
                "CommandRunning", "DataSources", "Dates", "FeatureAlerts", "FeatureApp", "FeatureFlows", "FeaturePosts",
                "FeatureRepositories",
                "FeatureStars", "FeatureTodos", "PersistentCollections", "Records", "Reducing", "StoreRuntime",
                "StoreSimulation", "StoreTesting", "TestSupport", "TodoRules", "Values",
            ]),
        .testTarget(
            name: "HTTPSourcesTests",
            dependencies: [
                "DataSources", "FeatureApp", "FeaturePosts", "FeatureRepositories", "FeatureTodos", "HTTPSources",
                "PersistentCollections", "Reducing", "StoreRuntime", "StoreSimulation", "StoreTesting", "TestSupport", nioCore,
                nioHTTP, nioPosix,
            ]),
        .testTarget(name: "CurlTests", dependencies: ["Curl", "TestSupport"]),
        .testTarget(name: "TidyTests", dependencies: ["ProcessTesting"]),
    ]
)

for target in package.targets where [.regular, .executable, .test].contains(target.type) {
    target.swiftSettings = strict + (target.swiftSettings ?? [])
}

for target in package.targets {
    if let folder = folders.first(where: { $0.value.contains(target.name) })?.key {
        target.path = "Sources/\(folder)/\(target.name)"
    }
}

// SwiftPM compiles a target again only if one of its direct dependencies has changed. An optimized build also inlines code of transitive
// ones, so it lists them all. Every other build checks that a target lists what it imports.
if Context.environment["TODOD_OPTIMIZED"] != nil {
    let named = Dictionary(uniqueKeysWithValues: package.targets.map { ($0.name, $0.dependencies.compactMap(\.module)) })
    for target in package.targets where [.regular, .executable].contains(target.type) {
        var (behind, open) = (Set<String>(), named[target.name] ?? [])
        while let next = open.popLast() {
            if behind.insert(next).inserted { open += named[next] ?? [] }
        }
        target.dependencies += behind.subtracting(named[target.name] ?? []).sorted().map { .target(name: $0) }
    }
}

extension Target.Dependency {
    /// The target of this package that is named.
    var module: String? {
        switch self {
        case .targetItem(let name, _), .byNameItem(let name, _): name
        default: nil
        }
    }
}
