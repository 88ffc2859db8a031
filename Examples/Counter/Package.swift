// swift-tools-version: 6.2
import PackageDescription

/// A daemon around a counter, and a program around a closure.
let package = Package(
    name: "counterd",
    dependencies: [.package(name: "todod", path: "../..", traits: [])],
    targets: [
        .executableTarget(
            name: "counterd", dependencies: [.product(name: "ChronicleDaemon", package: "todod")],
            exclude: ["Counter.feature"], swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)],
            plugins: [.plugin(name: "GenerateFeatures", package: "todod")]),
        .executableTarget(
            name: "tally", dependencies: [.product(name: "ChronicleCodable", package: "todod")],
            swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]),
    ]
)
