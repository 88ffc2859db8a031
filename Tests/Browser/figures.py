"""Measures the latency of the page on a long log and prints one JSON object.

    python Tests/Browser/figures.py --todod PATH --todoweb PATH (--home DIRECTORY | --data DIRECTORY) [--prepare RECORDS]

`--home` is that of a user whose daemon kept its log in .local/state/todod, `--data` the directory of a log itself. 10,000 records are added
to it. `--prepare` first fills an empty one with 10,000 todos and so many records.

- firstPaintMilliseconds: from the navigation until the todos of now are painted, in a profile that knows nothing; the median of three.
- jumpMilliseconds: from the wish for a moment until the first todos of its state are painted, over 20 moments far from all that were shown.
- followWorstFrameMilliseconds: the longest time between two frames while 1,000 records a second arrive, for 10 seconds.
- memoryMebibytes: what the process of the page has, its part of what is shared included, after all of that.
"""

import argparse
import json
import random
import statistics
import tempfile
import time

from playwright.sync_api import expect, sync_playwright

from history import add, edit
from machine import Daemon, Programs, Web
from page import Page

TODOS = 10_000
JUMPS = 20
LOADS = 3
FOLLOWED_SECONDS = 10
RECORDS_A_SECOND = 1_000
TICKS_A_SECOND = 100
BATCH = 2_000

# Resolves with the milliseconds since `began` after the frame in which the todos of a moment, or of now, are painted.
PAINTED = """async (moment, began) => {
    const { model } = await import('/model.js');
    const isDrawn = () => {
        const row = document.querySelector('.todo');
        return model.stateSequence === (moment ?? model.head) && row !== null && row.todo === model.state.todos.items[row.dataset.index];
    };
    await new Promise((resolve) => {
        const { port1, port2 } = new MessageChannel();
        // A message that is sent in a frame comes when that is painted.
        const look = () => requestAnimationFrame(() => port2.postMessage(null));
        port1.onmessage = () => isDrawn() ? resolve() : look();
        look();
    });
    return performance.now() - began;
}"""


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--todod", required=True)
    parser.add_argument("--todoweb", required=True)
    place = parser.add_mutually_exclusive_group(required=True)
    place.add_argument("--home")
    place.add_argument("--data")
    parser.add_argument("--prepare", type=int, default=0)
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    parser.add_argument("--files", help="the directory of the page's files in the sources")
    return parser.parse_args()


def prepare(daemon, records):
    for first in range(1, TODOS + 1, BATCH):
        daemon.dispatch(add(*(f"Todo number {number}" for number in range(first, first + BATCH)), tags=["many"]))
    with daemon.connect() as wire:
        for first in range(0, records, BATCH):
            wire.call("org.todod.Store.Dispatch", {"actions": [
                edit(number % TODOS + 1, title=f"Todo in its form {number}") for number in range(first, first + BATCH)]})


def first_paint(browser, web, files):
    def once():
        page = Page(browser, web.address, files=files)
        milliseconds = page.tab.evaluate(f"() => ({PAINTED})(null, 0)")
        page.close()
        return milliseconds
    return statistics.median(once() for _ in range(LOADS))


def jumps(page, head):
    wanted = random.Random(1).sample(range(head // 100, head, max(1, head // 200)), JUMPS)
    return [page.tab.evaluate(f"""async (moment) => {{
        const go = document.getElementById('go');
        const began = performance.now();
        go.value = moment;
        go.form.requestSubmit();
        return await ({PAINTED})(moment, began);
    }}""", moment) for moment in wanted]


def follow(page, daemon):
    page.leave_controls().press("Escape").shows_state("now")
    page.tab.evaluate("""() => {
        let last = performance.now();
        window.worst = 0;
        const next = (now) => { window.worst = Math.max(window.worst, now - last); last = now; requestAnimationFrame(next); };
        requestAnimationFrame((now) => { last = now; requestAnimationFrame(next); });
    }""")
    head = daemon.head
    numbers = random.Random(2)
    calls = RECORDS_A_SECOND // TICKS_A_SECOND
    with daemon.connect() as wire:
        began = time.monotonic()
        for tick in range(FOLLOWED_SECONDS * TICKS_A_SECOND):
            time.sleep(max(0, began + tick / TICKS_A_SECOND - time.monotonic()))
            for call in range(calls):
                wire.send("org.todod.Store.Dispatch", {"actions": [
                    edit(numbers.randrange(1, TODOS + 1), title=f"Todo of tick {tick}.{call}")]})
            for _ in range(calls):
                wire.reply()
    expect(page("#clock .moment")).to_have_text(f"@{head + FOLLOWED_SECONDS * RECORDS_A_SECOND:,}")
    return page.tab.evaluate("window.worst")


def memory(browser):
    # The browser has further processes ready for future pages.
    return max(mebibytes(process["id"])
               for process in browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
               if process["type"] == "renderer")


def mebibytes(process):
    with open(f"/proc/{process}/smaps_rollup", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("Pss:")) / 1024


def measure(chosen, daemon, web):
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chosen.chromium, args=["--no-sandbox", "--disable-dev-shm-usage"])
        painted = first_paint(browser, web, chosen.files)
        page = Page(browser, web.address, files=chosen.files).ready()
        jumped = jumps(page, daemon.head)
        worst = follow(page, daemon)
        return {
            "firstPaintMilliseconds": round(painted, 1),
            "jumpMilliseconds": {"median": round(statistics.median(jumped), 1), "worst": round(max(jumped), 1)},
            "followWorstFrameMilliseconds": round(worst, 1),
            "memoryMebibytes": round(memory(browser), 1),
        }


def main():
    chosen = options()
    programs = Programs(chosen.todod, "", chosen.todoweb)
    with tempfile.TemporaryDirectory(prefix="todod-browser.") as directory:
        daemon = Daemon(programs, directory, data=chosen.data or f"{chosen.home}/.local/state/todod").start()
        try:
            if chosen.prepare:
                prepare(daemon, chosen.prepare)
                daemon.restart()
            web = Web(programs, daemon, through_todoctl=False)
            try:
                print(json.dumps(measure(chosen, daemon, web)))
            finally:
                web.kill()
        finally:
            daemon.kill()


main()
