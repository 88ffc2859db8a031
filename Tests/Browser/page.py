"""A page in the browser as a user sees it, with checks for errors that must never occur."""

import json
import pathlib
import re

from playwright.sync_api import expect

SECONDS_MAX = 30
# The browser itself reports each unsuccessful answer. Only checks that stop the daemon or expect a refusal allow that.
NETWORK_NOTICE = re.compile(r"Failed to load resource|net::ERR_")


class Page:
    """A tab with its own profile, or a further tab of the same browser."""

    def __init__(self, browser, address, width=1280, height=800, scheme="light", files=None, mayMissAnswers=False,
                 beside=None, **options):
        self.owns = beside is None
        self.context = beside.context if beside else browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, locale="en-GB", timezone_id="UTC",
            reduced_motion="reduce", **options)
        self.context.set_default_timeout(SECONDS_MAX * 1000)
        expect.set_options(timeout=SECONDS_MAX * 1000)
        self.origin = address.partition("/#")[0].rstrip("/")
        self.rules = None
        self.complaints = []
        self.mayMissAnswers = mayMissAnswers
        if files and self.owns:
            self.context.route(f"{self.origin}/*", lambda route: self.serve(route, files))
        self.tab = self.context.new_page()
        self.tab.on("console", self.heard)
        self.tab.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        self.tab.on("request", self.asked)
        self.tab.on("dialog", self.interrupted)
        self.tab.goto(address)

    def serve(self, route, files):
        """Serves a file of the sources in place of the built one, with the same headers."""
        name = route.request.url.removeprefix(self.origin + "/").partition("#")[0] or "index.html"
        if name.startswith("call/"):
            return route.continue_()
        path = pathlib.Path(files, name)
        if not path.is_file():
            return route.fulfill(status=404)
        self.rules = self.rules or route.fetch(url=self.origin + "/").headers
        kind = {"js": "text/javascript", "css": "text/css", "svg": "image/svg+xml"}.get(path.suffix[1:], "text/html")
        route.fulfill(headers=self.rules | {"content-type": kind}, body=path.read_bytes())

    # Errors that must not occur.

    def heard(self, message):
        if message.type in ("error", "warning") and not (self.mayMissAnswers and NETWORK_NOTICE.search(message.text)):
            self.complaints.append(f"{message.type}: {message.text}")

    def asked(self, request):
        if not request.url.startswith((self.origin + "/", "data:")):
            self.complaints.append(f"a request elsewhere: {request.url}")

    def interrupted(self, dialog):
        self.complaints.append(f"a foreign script opened a dialog: {dialog.message}")
        dialog.dismiss()

    def expect_quiet(self):
        """Asserts that there were no errors, policy violations, or requests to other servers."""
        assert not self.complaints, "\n".join(self.complaints)

    def photograph(self, directory, name):
        if directory:
            pathlib.Path(directory).mkdir(parents=True, exist_ok=True)
            self.tab.screenshot(path=f"{directory}/{re.sub('[^a-z0-9]+', '-', name.lower())[:80]}.png")

    def close(self):
        if self.owns:
            self.context.close()

    # Visible contents.

    def ready(self):
        """Waits until the page shows a state."""
        expect(self("#state-title")).not_to_have_text("State")
        return self

    def __call__(self, selector, **options):
        return self.tab.locator(selector, **options)

    def button(self, name, within=None, exact=True):
        return (within or self.tab).get_by_role("button", name=name, exact=exact)

    def shows_state(self, moment):
        """Waits until the state after a record is shown."""
        expect(self("#state-title")).to_have_text("State now" if moment == "now" else f"State at @{moment:,}")
        return self

    def says(self, words):
        """Waits until the status line contains words."""
        expect(self("#status")).to_contain_text(words)
        return self

    def record(self, sequence):
        """The row of a record in the log."""
        return self(".record", has=self.tab.locator(f".sequence:text-is('@{sequence}')"))

    def todo(self, title):
        """The row of a todo."""
        return self(".todo", has=self.tab.locator(".text", has_text=title))

    @property
    def moment(self):
        return int(self("[role=slider]").get_attribute("aria-valuenow"))

    HANDLE = """() => {
        const strip = document.querySelector('.strip').getBoundingClientRect();
        const handle = document.querySelector('.handle').getBoundingClientRect();
        return (handle.left + handle.width / 2 - strip.left) / strip.width;
    }"""

    @property
    def handle(self):
        """The position of the handle on the strip, from 0 to 1."""
        return self.tab.evaluate(self.HANDLE)

    def handle_comes_to(self, place):
        """Waits until the handle is approximately there."""
        self.tab.wait_for_function(f"place => Math.abs(({self.HANDLE})() - place) < 0.02", arg=place)

    @property
    def focus(self):
        """A short description of the focused element."""
        return self.tab.evaluate("""() => {
            const at = document.activeElement;
            return at === null || at === document.body ? '' : at.getAttribute('aria-label') ?? at.id ?? at.textContent;
        }""")

    # Actions of a user.

    def press(self, *keys):
        for key in keys:
            self.tab.keyboard.press(key)
        return self

    def leave_controls(self):
        """Removes the focus from any field, so that letters are keys of the page."""
        self.tab.evaluate("document.activeElement?.blur()")
        return self

    def select(self, path):
        """Selects a value in the tree of the state."""
        self.open_tab("State")
        self.tab.get_by_label("Go to a path").fill(path)
        self.tab.get_by_label("Go to a path").press("Enter")
        return self

    def go(self, words):
        self("#go").fill(str(words))
        self("#go").press("Enter")
        return self

    def open_tab(self, name):
        """Opens one of the tabs of the state or of the details."""
        self.tab.get_by_role("tab", name=name, exact=True).click()
        return self

    def write(self, action):
        """Writes an action into the text form, once it has its example."""
        text = self.tab.get_by_label("The action as JSON")
        expect(text).not_to_have_value("")
        text.fill(json.dumps(action))

    def dispatch(self, action, *previews):
        """Dispatches an action by the text form, with the sentences of its preview."""
        self.open_tab("Dispatch")
        self.write(action)
        self.button("Dispatch…").click()
        return self.confirm("Dispatch this action?", *previews)

    def confirm(self, *sentences):
        """Checks the question of a dialog and confirms it."""
        dialog = self("dialog")
        for sentence in sentences:
            expect(dialog).to_contain_text(sentence)
        dialog.locator("button.primary").click()
        expect(dialog).to_have_count(0)
        return self
