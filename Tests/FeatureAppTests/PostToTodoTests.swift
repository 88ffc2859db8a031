import Chronicle
import ChronicleTesting
import FeatureApp
import FeaturePosts
import FeatureTodos
import Testing

@Suite struct PostToTodoTests {
    private let posts = Posts.State(items: [
        Post(id: 4, key: "a", title: "Swift 6.3 is out"), Post(id: 5, key: "b", title: "Go"),
    ])

    @Test func `a post becomes a todo with its title and remains in the list`() {
        let store = appStore(App.State(posts: posts))
        let todo = Todo(id: 1, title: "Swift 6.3 is out", created: store.clock.microseconds)
        store.send(.posts(.add(4)), logging: [.todos(.add([todo]))]) { $0.todos = .init(items: [todo]) }
        store.finish()
    }

    @Test func `a missing post, or one with a title too short for a todo, is refused`() {
        #expect(refusal(of: .posts(.add(9)), in: App.State(posts: posts)) == "UnknownID")
        #expect(refusal(of: .posts(.add(5)), in: App.State(posts: posts)) == "TitleTooShort")
    }
}
