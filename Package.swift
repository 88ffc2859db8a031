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
    ]
)
