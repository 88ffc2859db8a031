import TestSupport
import Testing

@testable import LinuxService

@Suite struct ConfigurationTests {
    static let source = TypedSetting(
        "SOURCE", "",
        SettingKind(text: { $0 }) { text throws(SettingMistake) in
            guard text.hasPrefix("/") else { throw SettingMistake("“\(text)” is not an absolute path") }
            return text
        }, "Where it comes from.")
    static let loads = TypedSetting("LOADS", false, .choice(["yes": true, "no": false]), "Whether it loads.")
    static let seconds = TypedSetting("SECONDS", 20, .number(1...30), "How long.")

    let program = Program(name: "todod", version: "1.0.0", settings: [source.row, loads.row, seconds.row])

    let defaultPaths = DefaultPaths(
        program: "todod", environment: ["HOME": "/home/ann"], uid: 1000, pid: 7, home: nil,
        userSocket: "/run/user/1000/todod/org.todod.Store")

    let accounts = Accounts(
        uid: { ["alice": 1001, "bob": 1002][$0] }, members: { ["staff": [1001, 1002, 1003], "audio": [1003]][$0] })

    func resolve(
        flags: [Setting: String] = [:], environment: [String: String] = [:], file: String? = nil
    ) throws(StartFailure) -> ResolvedConfiguration {
        try ResolvedConfiguration(
            of: program, flags: flags, environment: environment,
            file: file.map { ConfigurationFile(path: "/etc/todod.env", text: $0) },
            defaultPaths: defaultPaths, workingDirectory: "/start", accounts: accounts)
    }

    func message(
        flags: [Setting: String] = [:], environment: [String: String] = [:], file: String? = nil
    ) -> String? {
        do throws(StartFailure) {
            _ = try resolve(flags: flags, environment: environment, file: file)
            return nil
        } catch {
            #expect(error.status == .configuration)
            return error.message
        }
    }

    @Test func `without settings every value is its default`() throws {
        let resolved = try resolve()
        #expect(resolved.configuration.dataDirectory == "/home/ann/.local/state/todod")
        #expect(resolved.configuration.socket == "/run/user/1000/todod/org.todod.Store")
        #expect(resolved.configuration[Setting.mapBytes] == 68_719_476_736)
        #expect(resolved.configuration.access.access(of: 4711) == .readWrite)
        #expect(resolved.configuration[Self.source] == "")
        #expect(!resolved.configuration[Self.loads])
        #expect(resolved.configuration[Self.seconds] == 20)
        #expect(program.settings.all.allSatisfy { resolved.origin(of: $0) == .byDefault })
    }

    @Test func `a flag wins over the environment, the environment over the file, the file over the default`() throws {
        let resolved = try resolve(
            flags: [.data: "/flag"],
            environment: ["TODOD_DATA": "/environment", "TODOD_SOCKET": "/environment/socket", "PATH": "/bin"],
            file: "TODOD_DATA=/file\nTODOD_SOCKET=/file/socket\n\nTODOD_CONNECTIONS_MAX=32\n")
        #expect(resolved.configuration.dataDirectory == "/flag")
        #expect(resolved.configuration.socket == "/environment/socket")
        #expect(resolved.configuration[Setting.connectionsMax] == 32)
        #expect(resolved.configuration[Setting.stopSeconds] == 20)
        #expect(resolved.origin(of: .data) == .flag)
        #expect(resolved.origin(of: .socket) == .environment)
        let connections = try #require(program.settings.named("TODOD_CONNECTIONS_MAX"))
        #expect(resolved.origin(of: connections) == .file(path: "/etc/todod.env", line: 4))
        #expect(resolved.origin(of: try #require(program.settings.named("TODOD_STOP_SECONDS"))) == .byDefault)
    }

    @Test func `every key can be set and is printed as it was set`() throws {
        let values: [String: String] = [
            "TODOD_DATA": "/d", "TODOD_SOCKET": "/s", "TODOD_ALLOW": "alice:rwa,bob:r,@staff:rw", "TODOD_LOG_LEVEL": "debug",
            "TODOD_MAP_SIZE": "1048576",
            "TODOD_FREE_BYTES_MIN": "1", "TODOD_STATE_BYTES_MAX": "4",
            "TODOD_CONNECTIONS_MAX": "2", "TODOD_CONNECTIONS_PER_USER_MAX": "3",
            "TODOD_OUTBOUND_BYTES_MAX": "65536", "TODOD_STALLED_READER_SECONDS": "7", "TODOD_STOP_SECONDS": "8",
            "TODOD_CLUSTER": "https://a:2379,[::1]:2379/our-todos", "TODOD_CLUSTER_NODE": "desk", "TODOD_CLUSTER_CA_FILE": "/ca",
            "TODOD_CLUSTER_CERTIFICATE_FILE": "/certificate", "TODOD_CLUSTER_KEY_FILE": "/key", "TODOD_CLUSTER_USER": "todod",
            "TODOD_CLUSTER_PASSWORD_FILE": "/password", "TODOD_CLUSTER_KEPT_BATCHES": "10", "TODOD_CLUSTER_AWAY_DAYS": "3",
            "TODOD_SOURCE": "/todos.txt", "TODOD_LOADS": "yes", "TODOD_SECONDS": "9",
        ]
        let file = values.map { "\($0.key)=\($0.value)" }.joined(separator: "\n")
        let resolved = try resolve(file: file)
        for setting in program.settings.all {
            let name = program.settings.name(of: setting)
            #expect(setting.text(resolved.configuration) == values[name], "\(name)")
            #expect(resolved.description.contains("\(name)=\(values[name] ?? "missing")"))
        }
        #expect(resolved.configuration[Self.source] == "/todos.txt")
        #expect(resolved.configuration[Self.loads])
        #expect(resolved.configuration[Self.seconds] == 9)
    }

    @Test(arguments: [
        "a:2379/todos", "etcd://a:2379", "etcd://a:2379/", "etcd://a/todos", "etcd://a:0/todos", "etcd://a:2379,/todos",
        "etcd://a:2379/todos/more", "etcd://a:2379/to dos", "http://a:2379/todos", "etcd://:2379/todos", "etcd://a:+2379/todos",
        "etcd://a:b:2379/todos", "etcd://::1:2379/todos", "etcd://[a]:2379/todos", "etcd://[::1:2379/todos",
        "etcd://a]:2379/todos", "etcd://a:23790000/todos",
    ]) func `an invalid address of a shared log is refused`(address: String) {
        #expect(message(environment: ["TODOD_CLUSTER": address])?.contains("is not of the form etcd://") == true)
    }

    @Test(arguments: [
        ("http://a:2379/todos", "write etcd:// instead of http://"),
        ("a:2379/todos", "it begins with neither etcd:// nor https://"),
        ("https://a:2379,https://b:2379/todos", "“://” is allowed once, before the first member"),
        ("etcd://a:2379, b:2379/todos", "“ b:2379” is not HOST:PORT"), ("etcd://a/todos", "“a” is not HOST:PORT"),
        ("etcd://a:2379", "/NAME is missing after the members"), ("etcd://a:2379/to dos", "“to dos” is not a name of"),
        ("etcd://a:2379/to/dos", "“to/dos” is not a name of"), ("etcd://a:2379/todos/", "“todos/” is not a name of"),
    ]) func `the error names the invalid part of an address`(address: String, part: String) {
        #expect(message(environment: ["TODOD_CLUSTER": address])?.contains("use TLS: \(part)") == true)
    }

    @Test func `a password in an address is not repeated in the error`() {
        let text = message(environment: ["TODOD_CLUSTER": "etcd://todod:secret@a:2379/todos"])
        #expect(text?.contains("is not of the form etcd://") == true && text?.contains("secret") == false)
    }

    @Test(arguments: [
        ("etcd://127.0.0.1:2379,127.0.0.2:2379/todos", true), ("etcd://localhost:2379,[::1]:2379/todos", true),
        ("etcd://127.0.0.1:2379,10.0.0.2:2379/todos", false), ("etcd://127.0.0.1.example.org:2379/todos", false),
        ("etcd://[::2]:2379/todos", false),
    ]) func `members are local only if each of them is on this host`(address: String, isWithin: Bool) throws {
        #expect(try ClusterAddress(address).isWithinHost == isWithin)
    }

    @Test func `the printed configuration is parsed to the same configuration`() throws {
        let resolved = try resolve(environment: ["TODOD_ALLOW": "bob:r", "TODOD_LOG_LEVEL": "error"])
        #expect(try resolve(file: resolved.description).configuration == resolved.configuration)
    }

    @Test func `an unknown key is reported with its name and line`() {
        #expect(message(file: "# one\nTODOD_FOO=1\n") == "/etc/todod.env:2: TODOD_FOO is not a key of todod.")
        #expect(message(file: "todod_data=/x") == "/etc/todod.env:1: todod_data is not a key of todod.")
        #expect(message(environment: ["TODOD_BAR": "1"]) == "environment: TODOD_BAR is not a key of todod.")
        #expect(message(file: "MALLOC_ARENA_MAX=2") == nil)
    }

    @Test func `a carriage return alone also ends a line and hides no setting in a comment`() {
        #expect(
            message(file: "# who may come in\rTODOD_FOO=1\r\nTODOD_BAR=1") == """
                /etc/todod.env:1: TODOD_FOO is not a key of todod.
                /etc/todod.env:2: TODOD_BAR is not a key of todod.
                """)
    }

    @Test func `a byte 0 is an error and truncates no path`() {
        #expect(
            message(file: "TODOD_DATA=/a\u{0}b") == "/etc/todod.env:1: It contains a byte 0, which no setting can contain.")
    }

    @Test(arguments: ["export TODOD_ALLOW", "\u{FEFF}TODOD_ALLOW", "TODOD-ALLOW", "TODÖD_ALLOW", "1TODOD_ALLOW"])
    func `an invalid variable name is an error and does not leave access open`(name: String) {
        #expect(
            message(file: "\(name)=alice:r")
                == "/etc/todod.env:1: “\(name)” is not a variable name: use ASCII letters, digits and underscores, and no digit first."
        )
    }

    @Test(arguments: [
        ("TODOD_CONNECTIONS_MAX=many", "“many” is not a number from 1 to 1048576."),
        ("TODOD_CONNECTIONS_MAX=0", "“0” is not a number from 1 to 1048576."),
        ("TODOD_CONNECTIONS_MAX=99999999999999999999", "“99999999999999999999” is not a number from 1 to 1048576."),
        ("TODOD_MAP_SIZE=1048577", "“1048577” is not a multiple of 4096."),
        ("TODOD_LOG_LEVEL=loud", "“loud” is not one of trace, debug, info, notice, warning, error, critical."),
        ("TODOD_DATA=here", "“here” is not an absolute path."),
        ("TODOD_ALLOW=carol:rw", "there is no user “carol”."),
        ("TODOD_ALLOW=alice", "“alice” is not USER or @GROUP with :r, :rw or :rwa."),
        ("TODOD_ALLOW=65534:r", "“65534” stands for unknown users, who never get access."),
        ("TODOD_ALLOW=,", "“” is not USER or @GROUP with :r, :rw or :rwa."),
        ("TODOD_ALLOW=alice:r,", "“” is not USER or @GROUP with :r, :rw or :rwa."),
        ("TODOD_ALLOW=alice:w", "“alice:w” is not USER or @GROUP with :r, :rw or :rwa."),
        ("TODOD_ALLOW=alice:r,alice:rw", "“alice” is named twice."),
        ("TODOD_ALLOW=alice:r,1001:rw", "“1001” is named twice."),
        ("TODOD_ALLOW=@staff:a", "“@staff:a” is not USER or @GROUP with :r, :rw or :rwa."),
        ("TODOD_ALLOW=@staff:r,@staff:rw", "“@staff” is named twice."),
        ("TODOD_ALLOW=@wheel:r", "there is no group “wheel”."),
        ("TODOD_SOURCE=todos.txt", "“todos.txt” is not an absolute path."),
        ("TODOD_LOADS=true", "“true” is neither “yes” nor “no”."),
        ("TODOD_SECONDS=0", "“0” is not a number from 1 to 30."),
    ])
    func `a bad value is reported with its key and line`(line: String, mistake: String) throws {
        let key = line.prefix { $0 != "=" }
        #expect(message(file: "\n\(line)") == "/etc/todod.env:2: \(key): \(mistake)")
    }

    @Test func `a bad value is reported even if another layer overrides it, and all errors are reported at once`() {
        let text = message(
            flags: [.socket: String(repeating: "x", count: 108)], environment: ["TODOD_STOP_SECONDS": "-1"],
            file: "TODOD_STOP_SECONDS=soon\nnonsense\n")
        #expect(
            text?.split(separator: "\n").map { $0.prefix { $0 != " " } } == [
                "/etc/todod.env:2:", "/etc/todod.env:1:", "environment:", "command",
            ])
    }

    @Test func `an error in a file that systemd put into the environment is reported once`() {
        #expect(
            message(environment: ["TODOD_CONNECTIONS_MAX": "x"], file: "TODOD_CONNECTIONS_MAX=x")
                == "/etc/todod.env:1: TODOD_CONNECTIONS_MAX: “x” is not a number from 1 to 1048576.")
    }

    @Test func `the keys of a program begin with its name, and other keys are ignored`() throws {
        let program = Program(name: "count-er", version: "1.0.0")
        let resolved = try ResolvedConfiguration(
            of: program, environment: ["COUNT_ER_CONNECTIONS_MAX": "9", "TODOD_CONNECTIONS_MAX": "x"], file: nil,
            defaultPaths: defaultPaths, workingDirectory: "/", accounts: accounts)
        #expect(resolved.configuration[Setting.connectionsMax] == 9)
        #expect(resolved.description.contains("\nCOUNT_ER_CONNECTIONS_MAX=9\n"))
    }

    @Test func `an empty value counts as unset`() throws {
        let resolved = try resolve(environment: ["TODOD_ALLOW": ""], file: "TODOD_ALLOW=bob:r\nTODOD_DATA=/a\nTODOD_DATA=\n")
        #expect(resolved.configuration.access.entries.map(\.name) == ["bob"])
        #expect(resolved.configuration.dataDirectory == "/home/ann/.local/state/todod")
        #expect(resolved.origin(of: .data) == .byDefault)
        // An empty value does not hide the value of another layer either.
        let flags = try resolve(flags: [.data: ""], environment: ["TODOD_DATA": "/e"])
        #expect(flags.configuration.dataDirectory == "/e" && flags.origin(of: .data) == .environment)
    }

    @Test func `a relative path of a flag is relative to the working directory`() throws {
        #expect(try resolve(flags: [.data: "log"]).configuration.dataDirectory == "/start/log")
    }

    @Test func `without a home directory the data needs a path`() {
        let defaultPaths = DefaultPaths(program: "todod", environment: [:], uid: 1000, pid: 7, home: nil, userSocket: "/s")
        #expect(throws: StartFailure.self) {
            try ResolvedConfiguration(
                of: program, environment: [:], file: nil, defaultPaths: defaultPaths, workingDirectory: "/",
                accounts: Accounts(uid: { _ in nil }))
        }
    }

    @Test func `the command line reads the file that it names and refuses a missing one`() throws {
        let directory = TemporaryDirectory()
        let file = try directory.write("TODOD_STOP_SECONDS=5\n", to: "some.env")
        let options = try DaemonOptions(["--config", file, "--data", "/d"])
        let resolved = try options.configuration(of: program, environment: [:], defaultPaths: defaultPaths)
        #expect(resolved.configuration[Setting.stopSeconds] == 5)
        #expect(resolved.configuration.dataDirectory == "/d")
        let missing = try DaemonOptions(["--config", "\(directory.path)/none.env"])
        #expect(throws: StartFailure(.configuration, "\(directory.path)/none.env does not exist.")) {
            try missing.configuration(of: program, environment: [:], defaultPaths: defaultPaths)
        }
    }

    @Test(arguments: [
        ["--state", "f"], ["--inspect", "--ephemeral"], ["--ephemeral", "--data", "/d"], ["--data", ""], ["--dta"],
    ])
    func `contradictory options are a usage error`(arguments: [String]) {
        #expect(throws: (any Error).self) { try DaemonOptions(arguments) }
    }
}
