# public surface
import re
def sub(path,*pairs):
    s=open(path).read()
    for a,b in pairs:
        if a not in s: print('MISSING',path,repr(a[:80]))
        s=s.replace(a,b,1)
    open(path,'w').write(s)
sub('Service/Process/ExitStatus.swift',('enum ExitStatus','public enum ExitStatus'),('    var sentence','    public var sentence'))
s=open('Service/Process/ExitStatus.swift').read()
sub('Service/Process/StartFailure.swift',('struct StartFailure','public struct StartFailure'),('    var status','    public var status'),('    var message','    public var message'),('    init(_ status','    public init(_ status'),('    var description','    public var description'))
sub('Service/Configuration/Configuration.swift',('\nstruct Configuration','\npublic struct Configuration') if '\nstruct Configuration' in open('Service/Configuration/Configuration.swift').read() else ('struct Configuration','struct Configuration'))
sub('Service/Program.swift',('''    /// The version as it stands''','''    /// The name of one of its own settings, for sentences about it: `TODOD_HTTP_SECONDS`.
    public func name<Value>(of setting: ProgramSetting<Value>) -> String { settings.name(of: setting.row) }

    /// The version as it stands'''))
