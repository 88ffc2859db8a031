import Foundation
import Testing

/// Checks the unit files with systemd's tools, without a running systemd.
@Suite(.enabled(if: Tool.systemdAnalyze.isInstalled, "systemd-analyze is not installed"))
struct UnitFileTests {
    enum Manager: String, CaseIterable, Sendable {
        case system, user

        var folder: String { self == .system ? "systemd" : "systemd/user" }
        var exposureMax: Double { self == .system ? 0.6 : 2.5 }
    }

    @Test(arguments: Manager.allCases) func `the units pass systemd-analyze verify`(manager: Manager) throws {
        try withUnits(of: manager) { folder in
            let units = ["todod.service", "todod.socket"].map { folder.appending(path: $0).path }
            let outcome = try analyze(manager, ["verify", "--man=no"] + units, in: folder)
            #expect(outcome.status == 0)
            #expect(outcome.output.isEmpty)
        }
    }

    @Test(arguments: Manager.allCases) func `the exposure level of the sandbox is low`(manager: Manager) throws {
        try withUnits(of: manager) { folder in
            let unit = folder.appending(path: "todod.service").path
            let outcome = try analyze(manager, ["security", "--offline=true", "--no-pager", unit], in: folder)
            let exposure = outcome.output.firstMatch(of: /Overall exposure level for \S+: ([0-9.]+)/).flatMap { Double($0.1) }
            #expect(try #require(exposure, "\(outcome.output)") <= manager.exposureMax)
        }
    }

    @Test(arguments: Manager.allCases, ["web", "cluster"])
    func `a drop-in with network access raises the exposure level by at most 1`(manager: Manager, name: String) throws {
        try withUnits(of: manager) { folder in
            let place = folder.appending(path: "todod.service.d")
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            try FileManager.default.copyItem(
                at: Repository.url("systemd/\(name).conf"), to: place.appending(path: "\(name).conf"))
            let unit = folder.appending(path: "todod.service").path
            let checked = try analyze(manager, ["verify", "--man=no", unit], in: folder)
            #expect(checked.status == 0 && checked.output.isEmpty, "\(checked.output)")
            let outcome = try analyze(manager, ["security", "--offline=true", "--no-pager", unit], in: folder)
            let network = outcome.output.split(separator: "\n").first { $0.contains("PrivateNetwork=") }
            #expect(try #require(network).hasPrefix("✗"), "the drop-in was not read")
            let exposure = outcome.output.firstMatch(of: /Overall exposure level for \S+: ([0-9.]+)/).flatMap { Double($0.1) }
            #expect(try #require(exposure) <= manager.exposureMax + 1.0, "\(outcome.output)")
        }
    }

    @Test(arguments: Manager.allCases, ["backup", "newer"])
    func `other drop-ins pass verification, except for keys of a newer systemd`(manager: Manager, name: String) throws {
        try withUnits(of: manager) { folder in
            let place = folder.appending(path: "todod.service.d")
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            try FileManager.default.copyItem(
                at: Repository.url("systemd/\(name).conf"), to: place.appending(path: "\(name).conf"))
            let checked = try analyze(manager, ["verify", "--man=no", folder.appending(path: "todod.service").path], in: folder)
            #expect(checked.status == 0, "\(checked.output)")
            // An older systemd warns about unknown keys and ignores them.
            let unknown = ["Unknown key", "Failed to parse service type, ignoring"]
            let lines = checked.output.split(separator: "\n").filter { line in !unknown.contains { line.contains($0) } }
            #expect(lines.isEmpty && (name == "newer" || checked.output.isEmpty), "\(checked.output)")
        }
    }

    @Test(arguments: Manager.allCases) func `the service has limits and no pointless restarts`(manager: Manager) throws {
        let unit = try Repository.text("\(manager.folder)/todod.service")
        for line in [
            "Type=notify", "ExecReload=/bin/kill -HUP $MAINPID", "Restart=on-failure", "RestartPreventExitStatus=65 77 78",
            "LimitCORE=0", "MemoryHigh=2G", "MemoryMax=4G", "TasksMax=512", "SystemCallFilter=setpriority",
            "Environment=LIBDISPATCH_LOG=NO",
        ] {
            #expect(unit.contains("\n\(line)\n"), "\(line)")
        }
        // A user manager can't grant it.
        #expect(unit.contains("\nLimitNICE=-4\n") == (manager == .system))
        #expect(
            unit.contains("\nPrivateUsers=yes\n") == (manager == .user), "it would hide who dispatches from the system's daemon")
    }

    @Test(arguments: [
        ("web", "IPAddressDeny=link-local multicast"), ("newer", "Type=notify-reload"), ("newer", "RestartSteps=8"),
        ("backup", "StateDirectory=todod-backup"), ("cluster", "RestrictAddressFamilies=AF_INET AF_INET6"),
    ]) func `a drop-in has its essential setting`(name: String, line: String) throws {
        #expect(try Repository.text("systemd/\(name).conf").contains("\n\(line)\n"))
    }

    @Test(.enabled(if: Tool.sysusers.isInstalled, "systemd-sysusers is not installed"))
    func `the socket group is created`() throws {
        try withUnits(of: .system) { folder in
            let lines = Repository.url("systemd/todod.sysusers").path
            let outcome = try Tool.sysusers.run(["--dry-run", "--root=\(folder.path)", lines])
            #expect(outcome.status == 0)
            #expect(outcome.output.contains("Creating group 'todod'"))
        }
        // systemd refuses to create a dynamic user with the name of an existing group.
        #expect(try Repository.text("systemd/todod.service").contains("\nUser=todod-daemon\n"))
        #expect(try Repository.text("systemd/todod.socket").contains("\nSocketGroup=todod\nSocketMode=0660\n"))
    }

    private func analyze(_ manager: Manager, _ arguments: [String], in folder: URL) throws -> (status: Int32, output: String) {
        try Tool.systemdAnalyze.run(
            ["--\(manager)"] + arguments, environment: ["XDG_RUNTIME_DIR": folder.path, "HOME": folder.path])
    }

    /// Passes a copy of the units that runs /bin/true to a closure, because todod need not be installed.
    private func withUnits(of manager: Manager, _ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "todod-units-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for name in ["todod.service", "todod.socket"] {
            let unit = try Repository.text("\(manager.folder)/\(name)").replacing("/usr/local/bin/todod", with: "/bin/true")
            try unit.write(to: folder.appending(path: name), atomically: true, encoding: .utf8)
        }
        try body(folder)
    }
}
