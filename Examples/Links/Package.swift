// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]

/// A daemon that keeps links and checks them, and its tests.
let package = Package(
    name: "linksd",
    dependencies: [
        .package(name: "todod", path: "../..", traits: []),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .target(
            name: "LinkFeatures", dependencies: [.product(name: "Chronicle", package: "todod")],
            exclude: ["LinkApp.feature", "Links.feature", "Settings.feature"], swiftSettings: settings,
            plugins: [.plugin(name: "GenerateFeatures", package: "todod")]),
        .executableTarget(
            name: "linksd", dependencies: ["LinkFeatures", .product(name: "ChronicleDaemon", package: "todod")],
            swiftSettings: settings),
        .executableTarget(
            name: "linkpage",
            dependencies: [
                "LinkFeatures", .product(name: "ChronicleDaemon", package: "todod"),
                .product(name: "ChronicleStore", package: "todod"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "LinkTests", dependencies: ["LinkFeatures", .product(name: "ChronicleTesting", package: "todod")],
            swiftSettings: settings),
    ]
)
