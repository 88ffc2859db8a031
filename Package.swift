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


let package = Package(
    name: "todod",
    targets: [
        .target(name: "Reducing", swiftSettings: strict),
        .target(name: "ActionCoding", swiftSettings: strict),
        .systemLibrary(name: "CLMDB", pkgConfig: "lmdb", providers: [.apt(["liblmdb-dev"])]),
        .systemLibrary(name: "CXXHash", pkgConfig: "libxxhash", providers: [.apt(["libxxhash-dev"])]),
        .target(name: "LMDB", dependencies: ["CLMDB"], swiftSettings: strict),
        .target(name: "ActionLogs", dependencies: ["ActionCoding", "CXXHash", "LMDB"], exclude: ["FORMAT.md"], swiftSettings: strict),
        .target(name: "CThread"),
        .target(name: "StoreRuntime", dependencies: ["ActionCoding", "ActionLogs", "CThread", "Reducing"], swiftSettings: strict),
        .testTarget(name: "StoreRuntimeTests", dependencies: ["ActionCoding", "ActionLogs", "Reducing", "StoreRuntime"], swiftSettings: strict),
    ]
)
