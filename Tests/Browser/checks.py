"""The checks: descriptions with their functions, and the runner."""

import contextlib
import tempfile
import shutil
import time
import traceback

from history import told
from machine import Daemon, Web
from page import Page

CHECKS = []


class Skipped(Exception):
    """A requirement of a check is missing."""


def check(sentence, small=False):
    """Registers a function of a stage as a check; small checks are part of every test run."""

    def keep(function):
        CHECKS.append((sentence, small, function))
        return function

    return keep


class Stage:
    """The daemons, servers and pages of one check, which are removed after it."""

    def __init__(self, programs, browser, options):
        self.programs = programs
        self.browser = browser
        self.options = options
        self.ending = contextlib.ExitStack()
        self.pages = []

    def daemon(self, history=told, program=None):
        """A daemon with a prepared log, by default the week."""
        daemon = Daemon(self.programs, program=program)
        self.ending.callback(daemon.remove)
        daemon.start()
        history(daemon)
        return daemon

    def web(self, daemon, *flags, **options):
        web = Web(self.programs, daemon, *flags, **options)
        self.ending.callback(web.kill)
        return web

    def open(self, address, isReady=True, **options):
        """Opens a page with its own browser context and waits until it shows the state."""
        page = Page(self.browser, address, files=self.options.files, **options)
        self.ending.callback(page.close)
        self.pages.append(page)
        return page.ready() if isReady else page

    def page(self, *flags, at=None, history=told, **options):
        """A daemon and its page."""
        daemon = self.daemon(history)
        web = self.web(daemon, *flags)
        return daemon, self.open(web.address if at is None else web.at(at), **options)

    def directory(self):
        path = tempfile.mkdtemp(prefix="todod-browser.")
        self.ending.callback(shutil.rmtree, path, ignore_errors=True)
        return path


def run(stage_of, chosen):
    """Runs checks and prints a line for each. Returns the number of failures."""
    failures = 0
    for sentence, function in chosen:
        began = time.monotonic()
        stage = stage_of()
        word = "ok  "
        try:
            with stage.ending:
                try:
                    function(stage)
                except Exception:
                    for page in stage.pages:
                        page.photograph(stage.options.failures, sentence)
                    raise
                for page in stage.pages:
                    page.expect_quiet()
        except Skipped as reason:
            word, sentence = "skip", f"{sentence}: {reason}"
        except Exception:
            failures += 1
            word = "FAIL"
            traceback.print_exc(limit=-4)
        print(f"{word} {sentence} ({time.monotonic() - began:.1f} s)", flush=True)
    return failures
