// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// A package of its own: what it measures are the finished programs from outside, and the reducers, which need no program.
let package = Package(
    name: "todod-benchmarks",
    products: [.executable(name: "todod-bench", targets: ["todod-bench"])],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
        .package(name: "todod", path: "..", traits: []),
    ],
    targets: [
        .target(name: "CLoop", linkerSettings: [.linkedLibrary("lmdb")]),
        .target(name: "CLoad"),
        .executableTarget(
            name: "todod-bench",
            dependencies: [
                "CLoop", "CLoad",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Histogram", package: "hdrhistogram-swift"),
                .product(name: "Features", package: "todod"),
                .product(name: "TodoClient", package: "todod"),
            ],
            swiftSettings: strict
        ),
    ]
)
