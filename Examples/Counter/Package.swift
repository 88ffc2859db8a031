// swift-tools-version: 6.2
import PackageDescription

/// A daemon around a counter: what a stranger has to write.
let package = Package(
    name: "counterd",
    dependencies: [.package(name: "todod", path: "../..", traits: [])],
    targets: [
        .executableTarget(
            name: "counterd", dependencies: [.product(name: "EventSourcedDaemon", package: "todod")],
            swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)])
    ]
)
