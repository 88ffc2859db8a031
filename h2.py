import re,os,sys
R='Sources/Service/'
def sub(path,*pairs):
    p=R+path; s=open(p).read()
    for a,b in pairs:
        if a not in s: print('MISSING',path,repr(a[:70]))
        s=s.replace(a,b)
    open(p,'w').write(s)
H='Handlers/'
sub('Files/KeyedRun.swift',('mutating func take(_ record','mutating func take<App: Feature>(_ record'))
sub('Files/ExportLine.swift',('static func record(_ record: SealedRecord, _ key: KeyRow?) throws(StoreError) -> [UInt8] {','static func record<App: DaemonApp>(_ record: SealedRecord, _ key: KeyRow?, of app: App.Type) throws(StoreError) -> [UInt8] {'))
sub('Files/Exporting.swift',('struct Exporting: Sendable','struct Exporting<App: DaemonApp>: Sendable'),
 ('    /// Bytes after which a piece is handed on.\n    static let pieceBytesMax = 256 << 10\n\n','    /// Bytes after which a piece is handed on.\n    static var pieceBytesMax: Int { 256 << 10 }\n\n    let version: String\n'),
 ('version: Version.text','version: version'),('ExportLine.record(record, try key(endingWith: record))','ExportLine.record(record, try key(endingWith: record), of: App.self)'))
sub('Files/Compacting.swift',('struct Compacting: Sendable {\n    /// How long keys are kept at least, counted back from the last record.\n    static let keyDaysMin: Int64 = 90','struct Compacting<App: DaemonApp>: Sendable {\n    /// How long keys are kept at least, counted back from the last record.\n    static var keyDaysMin: Int64 { 90 }'),
 ('let exporting: Exporting\n','let exporting: Exporting<App>\n'))
sub('Files/Importing.swift',('struct Importing: Sendable','struct Importing<App: DaemonApp>: Sendable'))
sub('Files/HistoryFiles.swift',('    init(_ opened: OpenedLog, _ configuration: Configuration) {','    init(_ opened: OpenedLog<some DaemonApp>, _ configuration: Configuration) {'))
sub(H+'Sight.swift',('struct Sight: Sendable','struct Sight<App: DaemonApp>: Sendable'),('async throws -> Sight {','async throws -> Sight<App> {'),
 ('init(_ sight: Sight, _ state','init(_ sight: Sight<some DaemonApp>, _ state'),('init(_ sight: Sight, _ view','init(_ sight: Sight<some DaemonApp>, _ view'))
sub(H+'RecordMessage+Logged.swift',('    init(_ record: LoggedRecord<App>) {','    init<App: DaemonApp>(_ record: LoggedRecord<App>) {'),
 ('UInt32(index)), call)','UInt32(index)), call, of: App.self)'),
 ('init(_ command: App.Command) {','init(_ command: some NamedCommand) {'),
 ('static func list(_ commands: [App.Command])','static func list(_ commands: [some NamedCommand])'),
 ('    init(_ id: ActionLogs.CommandID, _ call: CommandCall) {','    init<App: DaemonApp>(_ id: ActionLogs.CommandID, _ call: CommandCall, of app: App.Type) {'))
sub(H+'Debugging.swift',('final class Debugging: Sendable {\n    /// The features that there are.\n    static let names = App.scopes.filter { !$0.contains(".") }\n\n','final class Debugging<App: DaemonApp>: Sendable {\n'),
 ('private struct IsOff: Error {}\nprivate','X') if False else ('store: Store<App>','store: Store<App>'))
sub(H+'Reading.swift',('init(sent text: String) throws','init(sent text: String, of shape: Shape) throws'),('Path(text, of: App.shape)','Path(text, of: shape)'),
 ('/// Reads an expression that a client sent: one on states, unless it is said on what.','/// Reads an expression that a client sent, on values of a shape.'),('of shape: Shape = App.shape','of shape: Shape'))
sub(H+'Points.swift',('extension Store<App> {','extension Store {'))
sub(H+'DaemonService+Commands.swift',('extension Store<App> {','extension Store {'),('fileprivate init(_ command: OpenCommand<App.Command>)','fileprivate init(_ command: OpenCommand<some NamedCommand>)'))
sub(H+'ListSelection.swift',('struct ListSelection: Sendable','struct ListSelection<App: DaemonApp>: Sendable'))
sub(H+'DaemonService+Blame.swift',('Path(sent: input.path)','Path(sent: input.path, of: App.shape)'))
sub(H+'DaemonService+Diff.swift',('try Path(sent: text) }','try Path(sent: text, of: App.shape) }'))
for f in ['Bisect','Check']: sub(H+'DaemonService+%s.swift'%f,('Expression(sent: input.expression)','Expression(sent: input.expression, of: App.shape)'))
sub(H+'DaemonService+GetState.swift',('try ListSelection(input)','try ListSelection<App>(input)'),('_ selection: ListSelection, of sight: Sight,','_ selection: ListSelection<App>, of sight: Sight<App>,'),
 ('    /// Bytes of an answer to a call without `more`.\n    static let answerBytesMax = 1 << 20\n    /// Bytes of a reply that others follow, roughly; one that holds a single element may be larger.\n    static let pageBytesMax = 256 << 10\n\n',''))
for f in ['AnswerBytes','Pager','DaemonService+Undo','DaemonService+Log','DaemonService+View','DaemonService+Blame','DaemonService+Why','DaemonService+WhatIf','DaemonService+GetState','DaemonService+Dispatch']:
    p=R+H+f+'.swift'; s=open(p).read()
    s=re.sub(r'\b(DaemonService|Self)\.(answerBytesMax|pageBytesMax)',r'AnswerLimits.\2',s)
    s=re.sub(r'(?<!\.)\banswerBytesMax\b',r'AnswerLimits.answerBytesMax',s)
    s=s.replace('AnswerLimits.answerBytesMax','AnswerLimits.bytesMax')
    open(p,'w').write(s)
sub(H+'Pager.swift',('/// A list that is answered piece by piece','/// How much one reply may hold.\nenum AnswerLimits {\n    /// Bytes of an answer to a call without `more`.\n    static let bytesMax = 1 << 20\n    /// Bytes of a reply that others follow, roughly; one that holds a single element may be larger.\n    static let pageBytesMax = 256 << 10\n}\n\n/// A list that is answered piece by piece'))
sub(H+'DaemonService+Undo.swift',('    private static let countMax = 1_000','    private static var countMax: Int { 1_000 }'),
 ('fileprivate init(_ undone: Undone<App.Command>) {','fileprivate init(_ undone: Undone<some NamedCommand>) {'),
 ('fileprivate init(_ undone: Undone<App.Command>, target','fileprivate init(_ undone: Undone<some NamedCommand>, target'),
 ('fileprivate init(_ effect: Undone<App.Command>.Effect)','fileprivate init<Command: NamedCommand>(_ effect: Undone<Command>.Effect)'))
sub(H+'DaemonService+Log.swift',('mutating func add(_ entry: LogEntry<App>)','mutating func add(_ entry: LogEntry<some DaemonApp>)'))
sub(H+'DaemonService+Why.swift',('fileprivate init(_ explanation: Explanation<App>, archive','fileprivate init(_ explanation: Explanation<some DaemonApp>, archive'),('fileprivate init(_ branch: Explanation<App>.Branch)','fileprivate init<App: DaemonApp>(_ branch: Explanation<App>.Branch)'))
sub(H+'DaemonService+WhatIf.swift',('    init(_ answer: Alternative<App>, changes','    init<App: DaemonApp>(_ answer: Alternative<App>, changes'),('CommandMessage($0.id, $0.call)','CommandMessage($0.id, $0.call, of: App.self)'))
sub(H+'DaemonService+Redact.swift',('{ $0.redacted }','App.redacted'))
sub(H+'DaemonService+Subscribe.swift',('Self.index(of:','scopes.index(of:'),('extension SubscribeMethod.Output {\n    init(_ item: StateItem<App>)','extension SubscribeMethod.Output {\n    init(_ item: StateItem<some DaemonApp>)'))
sub(H+'DaemonService+GetState.swift',('try Self.index(of: input.scope)','try scopes.index(of: input.scope)'))
sub(H+'DaemonService+WhatIf.swift',('alterations.append(try Self.alteration(','alterations.append(try alteration('),('try Self.action(value','try action(value'),('private static func alteration(','private func alteration('))
sub(H+'DaemonService+Dispatch.swift',('try Self.action(value, index: index)','try action(value, index: index)'),('scope: try Self.index','scope: try scopes.index'),
 ('static func action(_ value','func action(_ value'),('throw Self.error(error, value, action: index)','throw self.error(error, value, action: index)'),('private static func error(','private func error('),
 ('scopeIndices[name] == nil','!scopes.contains(name)'),
 ('''
    /// The place of a scope among those of the app; `nil` for everything.
    static func index(of scope: String?) throws(APIError) -> Int? {
        guard let scope else { return nil }
        guard let index = scopeIndices[scope] else { throw .unknownScope(scope, known: features) }
        return index
    }

    private static let features = App.scopes.filter { !$0.contains(".") }
    private static let scopeIndices = Dictionary(uniqueKeysWithValues: App.scopes.enumerated().map { ($1, $0) })
}
''','''}

/// The names by which parts of the state are asked for.
struct ScopeNames: Sendable {
    /// Those of whole features.
    let features: [String]
    private let indices: [String: Int]

    init(_ names: [String]) {
        features = names.filter { !$0.contains(".") }
        indices = Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, $0) })
    }

    func contains(_ name: String) -> Bool { indices[name] != nil }

    /// The place of a scope among those of the app; `nil` for everything.
    func index(of scope: String?) throws(APIError) -> Int? {
        guard let scope else { return nil }
        guard let index = indices[scope] else { throw .unknownScope(scope, known: features) }
        return index
    }
}
'''),
 ('    init(_ answer: Acknowledgement<App.Command>) {','    init(_ answer: Acknowledgement<some NamedCommand>) {'))
sub(H+'DaemonService+Debug.swift',('Debugging.names.contains','scopes.features.contains'))
sub(H+'DaemonService+Log.swift',('!App.scopes.contains(feature) || feature.contains(".")','!scopes.features.contains(feature)'))
sub(H+'DaemonService+Open.swift',('''        let link: DeepLink
        do { link = try DeepLink(input.link) } catch { throw .refused(error, action: 0) }
        dispatch(Dispatch([link.action],''','''        let action: App.Action
        do throws(Refusal) { action = try App.action(opening: input.link) } catch { throw .refused(error, action: 0) }
        dispatch(Dispatch([action],'''))
for f in ['Files','Compact']:
    sub(H+'DaemonService+%s.swift'%f,('Exporting(store: store,','Exporting(version: facts.version, store: store,'))
