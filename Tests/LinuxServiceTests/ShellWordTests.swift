@testable import LinuxService
import Testing

@Suite struct ShellWordTests {
    @Test(arguments: [
        ("/etc/todod/todod.env", "/etc/todod/todod.env"), ("./a-b_c:1", "./a-b_c:1"), ("", "''"),
        ("/home/ann/my files", "'/home/ann/my files'"), ("$HOME/`x`", "'$HOME/`x`'"), ("it's", #"'it'\''s'"#), ("ä", "'ä'"),
    ])
    func `a word is quoted if a shell would not take it literally`(word: String, typed: String) {
        #expect(ShellWord.text(of: word) == typed)
    }
}
