import ChronicleTesting
import LinkFeatures
import Testing

@Suite struct LawTests {
    @Test func `links and settings obey the laws of features`() {
        checkLaws(
            of: LinkApp.self,
            actions: [
                .links(.add(Link(url: "https://www.swift.org"))), .links(.checked(1, status: 200)),
                .links(.add(Link(url: "https://swift.org/blog", title: "Blog"))), .links(.rename(1, title: "Swift")),
                .links(.remove(2)), .settings(.setInterval(seconds: 60)), .settings(.setInterval(seconds: 604_801)),
            ])
    }
}
