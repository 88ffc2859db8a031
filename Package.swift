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
/// Linked into tests, it makes a reported issue a failure of Swift Testing.
let issueFailing = Target.Dependency.product(name: "IssueReportingTestSupport", package: "xctest-dynamic-overlay")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let unixSignals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioHTTP = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")

/// Where the targets stand in `Sources`; features say it themselves.
let folders = [
    "State": ["Chronicle", "ChronicleValues", "Dates", "Expressions", "TodoRules"],
    "Log": ["CLMDB", "CZstd", "ChronicleLog", "DiskLog", "Etcd", "LMDB", "ReplicatedLog", "Zstandard"],
    "HTTP": ["CCurl", "Curl"],
    "Store": ["CMachine", "ChronicleCodable", "ChronicleStore", "ChronicleTesting", "CommandRunning", "TimeTravel"],
    "Wire": ["CodeGeneration", "InterfaceGenerator", "TodoAPI", "TodoClient", "Varlink", "VarlinkInterfaces", "VarlinkNIO"],
    "Service": ["ChronicleDaemon", "LinuxService"],
    "Programs": [
        "CExpat", "CNcursesw", "CProcess", "CTerminal", "DataSources", "HTTPSources", "Terminal", "TodoDaemon", "TodoFormats",
        "todoctl", "todod", "todoweb",
    ],
]

/// A feature imports nothing but what names its fields, and above all others the app.
func feature(_ name: String, uses others: [Target.Dependency] = []) -> Target {
    .target(
        name: "Feature" + name, dependencies: ["Chronicle"] + others, path: "Sources/Features/" + name,
        exclude: [name + ".feature"], plugins: ["GenerateFeatures"])
}

func featureTests(_ name: String) -> Target {
    .testTarget(
        name: "Feature" + name + "Tests",
        dependencies: ["Chronicle", "ChronicleTesting", "TestSupport", .byName(name: "Feature" + name)])
}

let package = Package(
    name: "todod",
    products: [
        .executable(name: "todod", targets: ["todod"]),
        .executable(name: "todoctl", targets: ["todoctl"]),
        .executable(name: "todoweb", targets: ["todoweb"]),
        .library(name: "Chronicle", targets: ["Chronicle"]),
        .library(name: "ChronicleStore", targets: ["ChronicleStore", "DiskLog"]),
        .library(name: "ChronicleCodable", targets: ["ChronicleCodable", "ChronicleStore"]),
        .library(name: "ChronicleDaemon", targets: ["ChronicleDaemon"]),
        .library(name: "ChronicleTesting", targets: ["ChronicleTesting"]),
        .library(name: "Features", targets: ["FeatureApp", "FeaturePosts", "FeatureTodos"]),
        .library(name: "TodoClient", targets: ["TodoAPI", "TodoClient"]),
        .library(name: "Varlink", targets: ["Varlink", "VarlinkNIO"]),
        .plugin(name: "GenerateFeatures", targets: ["GenerateFeatures"]),
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
        .target(name: "ChronicleValues"),
        .target(name: "Chronicle", dependencies: ["ChronicleValues"]),
        feature("Todos", uses: ["Dates", "TodoRules"]),
        feature("Counter"), feature("Alerts"), feature("Posts"), feature("Stars"), feature("Repositories"),
        feature("Flows"), feature("Views"),
        feature(
            "App",
            uses: [
                "FeatureAlerts", "FeatureCounter", "FeatureFlows", "FeaturePosts", "FeatureRepositories", "FeatureStars",
                "FeatureTodos", "FeatureViews",
            ]),

        .target(name: "Expressions", dependencies: ["Chronicle", "Dates"], exclude: ["EXPRESSIONS.md"]),
        .target(name: "Dates", dependencies: ["ChronicleValues"]),
        .target(name: "TodoRules"),

        // How it is kept: in memory, with nothing but Swift and a few calls for threads and clocks.
        .target(
            name: "ChronicleLog", dependencies: ["ChronicleValues"], exclude: ["FORMAT.md"]),
        .target(name: "CMachine"),
        .target(
            name: "ChronicleStore", dependencies: ["Chronicle", "ChronicleLog", "CMachine", "Expressions"]),
        // And on disk.
        .systemLibrary(name: "CLMDB", pkgConfig: "lmdb", providers: [.apt(["liblmdb-dev"])]),
        .target(name: "LMDB", dependencies: ["CLMDB"]),
        .target(name: "DiskLog", dependencies: ["ChronicleLog", "ChronicleValues", "CMachine", "LMDB", "Zstandard"]),
        // And without a schema.
        .target(name: "ChronicleCodable", dependencies: ["Chronicle", "ChronicleLog", "ChronicleStore", "DiskLog"]),
        // And on several machines.
        .target(name: "Etcd", dependencies: ["ChronicleValues", "Curl"]),
        .target(name: "ReplicatedLog", dependencies: ["ChronicleLog", "ChronicleValues", "CMachine", "Etcd"]),

        .target(
            name: "CommandRunning", dependencies: ["Chronicle", "ChronicleLog", "ChronicleStore"]),
        .target(
            name: "TimeTravel", dependencies: ["Chronicle", "ChronicleLog", "ChronicleStore", "Expressions"]),

        .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
        .target(name: "Zstandard", dependencies: ["CZstd"]),

        // HTTP, for sources on the web and for the members of a cluster.
        // From libcurl4-openssl-dev. It is loaded with the first request, and not linked.
        .target(name: "CCurl"),
        .target(name: "Curl", dependencies: ["CCurl", "CMachine"]),

        // How it is said.
        .target(name: "VarlinkInterfaces"),
        .target(
            name: "Varlink", dependencies: ["ChronicleValues", "VarlinkInterfaces"],
            resources: [.embedInCode("Interfaces/org.varlink.service.varlink")]),
        .target(name: "VarlinkNIO", dependencies: ["Varlink", nioCore, nioPosix]),
        .target(name: "CodeGeneration", dependencies: ["VarlinkInterfaces"]),
        .executableTarget(name: "InterfaceGenerator", dependencies: ["CodeGeneration"]),
        .plugin(name: "GenerateInterfaces", capability: .buildTool(), dependencies: ["InterfaceGenerator"]),
        .plugin(name: "GenerateFeatures", capability: .buildTool(), dependencies: ["InterfaceGenerator"]),
        .target(
            name: "TodoAPI", dependencies: ["Chronicle", "Varlink"], exclude: ["Interfaces"],
            plugins: ["GenerateInterfaces"]),

        // How it is asked: by a client that waits for each answer.
        .target(name: "TodoClient", dependencies: ["TodoAPI", "Varlink"]),

        // Where data comes from, and who does the work of commands.
        .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
        .target(
            name: "DataSources",
            dependencies: [
                "Chronicle", "CProcess", "Dates", "FeatureApp", "FeatureFlows", "FeaturePosts", "FeatureRepositories",
                "FeatureStars", "FeatureTodos", "TodoRules", "Varlink",
            ]),
        .target(
            name: "HTTPSources",
            dependencies: ["CExpat", "Chronicle", "Curl", "DataSources", "FeaturePosts", "FeatureRepositories", "Varlink"]),

        // How a daemon lives on a machine, whatever it keeps: settings, places, journal, metrics, and what systemd is told.
        .target(
            name: "LinuxService",
            dependencies: ["TodoAPI", lifecycle, logging, unixSignals]),

        // The daemon around a store, for any app.
        .target(
            name: "ChronicleDaemon",
            dependencies: [
                "Chronicle", "ChronicleLog", "ChronicleStore", "CommandRunning", "DiskLog", "Expressions", "LinuxService",
                "TimeTravel", "TodoAPI", "Varlink", "VarlinkNIO", "Zstandard",
                .target(name: "Etcd", condition: .when(traits: ["Cluster"])),
                .target(name: "ReplicatedLog", condition: .when(traits: ["Cluster"])), lifecycle, logging, unixSignals,
            ]),

        // And for ours.
        .plugin(name: "FeatureSources", capability: .buildTool()),
        .target(
            name: "TodoDaemon", dependencies: ["ChronicleDaemon", "DataSources", "FeatureApp", "FeatureTodos"],
            plugins: ["FeatureSources"]),

        // Todos as other programs write them down.
        .target(name: "TodoFormats", dependencies: ["ChronicleValues", "Dates", "TodoRules"]),

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
            dependencies: ["ChronicleDaemon", "DataSources", "FeatureApp", "HTTPSources", "TodoAPI", "TodoDaemon"],
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
                "Chronicle", "CMachine", "CProcess", "Dates", "Terminal", "TodoAPI", "TodoClient", "TodoFormats", "TodoRules",
                "Varlink", argumentParser,
            ],
            exclude: ["Manual"],
            // It waits for people and for the daemon; what is read of it at each start is its size.
            swiftSettings: [.unsafeFlags(["-Osize"], .when(configuration: .release))],
            linkerSettings: [.unsafeFlags(["-static-executable"], .when(configuration: .release))]),
        .plugin(name: "PageFiles", capability: .buildTool()),
        .executableTarget(
            name: "todoweb", dependencies: ["ChronicleValues", "TodoAPI", "Varlink", argumentParser, nioCore, nioHTTP, nioPosix],
            exclude: ["Page"],
            linkerSettings: [.unsafeFlags(["-static-executable"], .when(configuration: .release))],
            plugins: ["PageFiles"]),

        // Tests, and what tests of a feature or a store are made with.
        .target(
            name: "ChronicleTesting",
            dependencies: [
                "Chronicle", "ChronicleLog", "ChronicleStore", "CommandRunning", customDump, issueFailing, issueReporting,
            ]),
        .testTarget(
            name: "ChronicleTestingTests",
            dependencies: ["Chronicle", "ChronicleLog", "ChronicleTesting"],
            exclude: ["Drifting.feature", "Tally.feature"], plugins: ["GenerateFeatures"]),
        .executableTarget(
            name: "CrashingRunner",
            dependencies: ["Chronicle", "ChronicleLog", "ChronicleStore", "CommandRunning", "DiskLog"],
            path: "Tests/CrashingRunner", exclude: ["Jobs.feature"], plugins: ["GenerateFeatures"]),
        .target(name: "TestSupport", dependencies: ["Chronicle", "Dates"], path: "Tests/TestSupport"),
        // Programs that tests start, and their ends.
        .target(name: "ProcessTesting", dependencies: ["CProcess", "TestSupport"], path: "Tests/ProcessTesting"),
        .testTarget(name: "ChronicleValuesTests", dependencies: ["ChronicleValues", "TestSupport"]),
        featureTests("Todos"), featureTests("Alerts"), featureTests("Posts"), featureTests("Stars"), featureTests("Counter"),
        featureTests("Repositories"), featureTests("Flows"), featureTests("Views"),
        .testTarget(
            name: "FeatureAppTests",
            dependencies: [
                "Chronicle", "ChronicleLog", "ChronicleTesting", "FeatureAlerts", "FeatureApp", "FeatureCounter", "FeatureFlows",
                "FeaturePosts", "FeatureRepositories", "FeatureStars", "FeatureTodos", "FeatureViews", "TestSupport",
            ],
            exclude: ["Golden", "House.feature", "Question.feature"], plugins: ["GenerateFeatures"]),
        .testTarget(
            name: "ChronicleLogTests",
            dependencies: [
                "ChronicleLog", "ChronicleValues", "DiskLog", "Etcd", "EtcdTesting", "LMDB", "ReplicatedLog", "TestSupport",
            ],
            exclude: ["Golden"]),
        .target(
            name: "EtcdTesting", dependencies: ["ChronicleValues", "Etcd", "ProcessTesting", "TestSupport"],
            path: "Tests/EtcdTesting"),
        .testTarget(name: "EtcdTests", dependencies: ["ChronicleValues", "Curl", "Etcd", "EtcdTesting", "TestSupport"]),
        // What clients saw of a log, held against it.
        .target(name: "DispatchHistory", path: "Tests/DispatchHistory"),
        .testTarget(name: "DispatchHistoryTests", dependencies: ["DispatchHistory", "TestSupport"]),
        .testTarget(
            name: "ReplicatedLogTests",
            dependencies: [
                "Chronicle", "ChronicleLog", "ChronicleStore", "DiskLog", "Etcd", "EtcdTesting", "FeatureCounter",
                "ReplicatedLog", "TestSupport",
            ]),
        .testTarget(name: "ChronicleTests", dependencies: ["Chronicle", "ChronicleTesting", "TestSupport"]),
        .testTarget(name: "LMDBTests", dependencies: ["LMDB", "TestSupport"]),
        .testTarget(
            name: "ChronicleStoreTests",
            dependencies: [
                "Chronicle", "ChronicleCodable", "ChronicleLog", "ChronicleStore", "ChronicleTesting", "DiskLog",
                "FeatureCounter",
                "TestSupport",
            ],
            exclude: ["House.feature", "Stairs.feature", "Tally.feature"], plugins: ["GenerateFeatures"]),
        .testTarget(name: "ZstandardTests", dependencies: ["TestSupport", "Zstandard"]),
        .testTarget(name: "DatesTests", dependencies: ["Dates", "TestSupport"]),
        .testTarget(name: "TerminalTests", dependencies: ["Terminal", "TestSupport"]),
        .testTarget(name: "TodoFormatsTests", dependencies: ["Dates", "TestSupport", "TodoFormats"]),
        .testTarget(name: "ExpressionsTests", dependencies: ["Chronicle", "Expressions", "TestSupport"]),
        .testTarget(
            name: "TimeTravelTests",
            dependencies: [
                "Chronicle", "ChronicleLog", "ChronicleStore", "ChronicleTesting", "DiskLog", "Expressions", "FeatureAlerts",
                "FeatureApp", "FeatureCounter", "FeatureFlows", "FeaturePosts", "FeatureRepositories", "FeatureStars",
                "FeatureTodos", "FeatureViews", "TestSupport", "TimeTravel",
            ],
            exclude: ["Diary.feature", "Golden"], plugins: ["GenerateFeatures"]),
        .testTarget(
            name: "CommandRunningTests",
            dependencies: [
                "Chronicle", "ChronicleLog", "ChronicleStore", "ChronicleTesting", "CommandRunning", "DiskLog", "TestSupport",
            ]),
        .testTarget(name: "CodeGenerationTests", dependencies: ["CodeGeneration", "VarlinkInterfaces"]),
        .testTarget(name: "VarlinkTests", dependencies: ["TestSupport", "Varlink"]),
        .testTarget(name: "VarlinkNIOTests", dependencies: ["Varlink", "VarlinkNIO"]),
        .testTarget(
            name: "TodoAPITests", dependencies: ["Chronicle", "TestSupport", "TodoAPI", "Varlink"]),
        .testTarget(
            name: "TodoctlTests",
            dependencies: [
                "Chronicle", "Dates", "Expressions", "FeatureAlerts", "FeatureApp", "FeatureCounter", "FeatureFlows",
                "FeaturePosts", "FeatureRepositories", "FeatureStars", "FeatureTodos", "FeatureViews", "Terminal", "TestSupport",
                "TodoAPI", "TodoClient", "todoctl", "TodoFormats", "Varlink", "VarlinkInterfaces", argumentParser,
            ]),
        .testTarget(name: "TodowebTests", dependencies: ["ChronicleValues", "TestSupport", "TodoAPI", "todoweb", "Varlink"]),
        .testTarget(
            name: "LinuxServiceTests",
            dependencies: [
                "LinuxService", "TestSupport", lifecycle, logging,
                .product(name: "ServiceLifecycleTestKit", package: "swift-service-lifecycle"),
            ]),
        .testTarget(
            name: "ChronicleDaemonTests",
            dependencies: [
                "Chronicle", "ChronicleDaemon", "ChronicleLog", "ChronicleStore", "Expressions", "LinuxService", "TestSupport",
                "TimeTravel", "TodoAPI", "TodoClient", "Varlink", lifecycle,
                .product(name: "ServiceLifecycleTestKit", package: "swift-service-lifecycle"),
            ]),
        .testTarget(
            name: "TododTests",
            dependencies: [
                "Chronicle", "ChronicleDaemon", "ChronicleLog", "ChronicleStore", "ChronicleTesting", "FeatureApp",
                "FeatureCounter", "HTTPSources", "LinuxService", "TimeTravel", "todod", "TodoDaemon", logging,
            ]),
        .testTarget(
            name: "DaemonTests",
            dependencies: [
                "ChronicleLog", "ChronicleTesting", "CrashingRunner", "DiskLog", "DispatchHistory", "EtcdTesting",
                "ProcessTesting",
                "TestSupport", "TodoAPI", "TodoClient", "todoctl", "todod", "todoweb", "Varlink",
            ],
            exclude: ["Golden", "python", "session.txt"]),
        .testTarget(
            name: "DataSourcesTests",
            dependencies: [
                "Chronicle", "ChronicleLog", "ChronicleStore", "ChronicleTesting", "CommandRunning", "DataSources", "Dates",
                "FeatureAlerts", "FeatureApp", "FeatureFlows", "FeaturePosts", "FeatureRepositories", "FeatureStars",
                "FeatureTodos", "TestSupport", "TodoRules",
            ]),
        .testTarget(
            name: "HTTPSourcesTests",
            dependencies: [
                "Chronicle", "ChronicleStore", "ChronicleTesting", "DataSources", "FeatureApp", "FeaturePosts",
                "FeatureRepositories", "FeatureTodos", "HTTPSources", "TestSupport", nioCore, nioHTTP, nioPosix,
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

// `make docs` adds the plugin; nothing else resolves it.
if Context.environment["TODOD_DOCS"] != nil {
    package.dependencies.append(.package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0"))
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
