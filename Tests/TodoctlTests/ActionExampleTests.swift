import Chronicle
import Testing
import VarlinkInterfaces

@testable import todoctl

@Suite struct ActionExampleTests {
    @Test func `the example of an action has no field that the daemon fills in`() throws {
        let interface = try InterfaceDescription(
            parsing: """
                interface org.example.feature.Pages

                type Action (
                  add: ?(
                    name: string,
                    # Filled in by the daemon.
                    visits: int
                  )
                )
                """)
        let feature = DispatchableFeature("org.todod.feature.Pages", interface, isOnly: true)
        #expect(feature.actions.map(\.example) == [["add": ["name": "text"]]])
    }
}
