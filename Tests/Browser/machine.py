"""Real processes with their own directories: a daemon, and the server of its page."""

import contextlib
import ctypes
import dataclasses
import glob
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile

SECONDS_MAX = 60
# The library that makes a program's clock lag, if it is installed.
FAKETIME = next(iter(glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1")), None)


@dataclasses.dataclass
class Programs:
    """The paths of the tested programs."""

    todod: str
    todoctl: str
    todoweb: str


def environment(home, **more):
    """The variables that a program needs to run here, without any that could configure it."""
    kept = {name: os.environ[name] for name in ("LD_LIBRARY_PATH", "ASAN_OPTIONS") if name in os.environ}
    return {"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8", "TZ": "UTC", "HOME": home} | kept | more


def start(command, home, output, **more):
    """Starts a program that is killed when this process ends."""
    return subprocess.Popen(
        command, env=environment(home, **more), stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
        preexec_fn=lambda: ctypes.CDLL(None).prctl(1, signal.SIGKILL))


class Daemon:
    """A todod, or another daemon of the same kind, with its own directory."""

    def __init__(self, programs, directory=None, data=None, program=None):
        self.programs = programs
        self.program = program or programs.todod
        self.own = directory is None
        self.directory = directory or tempfile.mkdtemp(prefix="todod-browser.")
        self.data = data or f"{self.directory}/data"
        self.socket = f"{self.directory}/socket"
        self.process = None
        pathlib.Path(self.directory, "todod.env").touch()

    def start(self, isBehind=False):
        """Starts the daemon, on request with a clock that lags, and waits until it is ready."""
        ready = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        path = f"{self.directory}/ready"
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)
        ready.bind(path)
        ready.settimeout(SECONDS_MAX)
        # By variables, because with the clock library Swift does not find the flags.
        name = os.path.basename(self.program).upper()
        settings = {f"{name}_DATA": self.data, f"{name}_SOCKET": self.socket}
        if name == "TODOD":
            settings["TODOD_TODO_SOURCE"] = f"{self.directory}/nowhere"
        clock = {}
        if isBehind:
            clock = {"LD_PRELOAD": FAKETIME, "FAKETIME_TIMESTAMP_FILE": f"{self.directory}/clock", "FAKETIME_NO_CACHE": "1"}
        with open(f"{self.directory}/output", "ab") as output:
            command = [self.program, "--config", f"{self.directory}/todod.env"]
            self.process = start(command, self.directory, output, NOTIFY_SOCKET=path, **settings, **clock)
        with ready:
            while b"READY=1" not in ready.recv(4096):
                pass
        return self

    def be_behind(self, seconds):
        """Restarts the daemon with a clock that lags by a number of seconds."""
        pathlib.Path(self.directory, "clock").write_text(f"-{seconds}\n")
        self.kill()
        self.start(isBehind=True)

    def kill(self):
        """Kills the daemon."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
        self.process = None

    def restart(self):
        self.kill()
        return self.start()

    def connect(self):
        return Wire(self.socket)

    def dispatch(self, *actions):
        """Dispatches a batch and returns the daemon's answer."""
        with self.connect() as wire:
            return wire.call("org.todod.Store.Dispatch", {"actions": list(actions)})

    def todoctl(self, *arguments):
        """The JSON that todoctl prints."""
        command = [self.programs.todoctl, *arguments, "--socket", self.socket, "--json"]
        return json.loads(subprocess.run(command, env=environment(self.directory), check=True, capture_output=True).stdout)

    def status(self):
        with self.connect() as wire:
            return wire.call("org.todod.Admin.Status")

    @property
    def head(self):
        """The sequence of the last record."""
        return self.status()["sequence"]

    def state(self, scope):
        with self.connect() as wire:
            return wire.call("org.todod.Store.GetState", {"scope": scope})["state"]

    @property
    def todos(self):
        return self.state("todos.items")["todos"]["items"]

    def remove(self):
        self.kill()
        if self.own:
            shutil.rmtree(self.directory, ignore_errors=True)


class Web:
    """The web server of a daemon's page, started by `todoctl web` or directly."""

    def __init__(self, programs, daemon, *flags, through_todoctl=True):
        command = [programs.todoctl, "web", "--socket", daemon.socket] if through_todoctl \
            else [programs.todoweb, "--socket", daemon.socket]
        self.process = start(command + list(flags), daemon.directory, subprocess.PIPE)
        self.address = self.process.stdout.readline().decode().strip()
        self.origin, _, self.token = self.address.partition("/#token=")
        if not self.token:
            raise RuntimeError(f"no address: {self.address}")
        self.port = int(self.origin.rpartition(":")[2])

    def at(self, moment):
        """The address of a moment."""
        return f"{self.address}&at={moment}"

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


class Refused(Exception):
    """An error in an answer of the daemon."""

    def __init__(self, reply):
        super().__init__(f"{reply['error']}: {reply.get('parameters')}")
        self.name = reply["error"]


class Wire:
    """A connection to the daemon with the part of Varlink that is needed here."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(SECONDS_MAX)
        self.socket.connect(path)
        self.path = path
        self.rest = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, method, parameters=None, more=False):
        call = {"method": method, "parameters": parameters or {}} | ({"more": True} if more else {})
        self.socket.sendall(json.dumps(call).encode() + b"\0")

    def reply(self):
        while b"\0" not in self.rest:
            received = self.socket.recv(1 << 20)
            if not received:
                raise ConnectionError("the daemon hung up")
            self.rest += received
        frame, _, self.rest = self.rest.partition(b"\0")
        reply = json.loads(frame)
        if "error" in reply:
            raise Refused(reply)
        return reply.get("parameters", {})

    def call(self, method, parameters=None):
        self.send(method, parameters)
        return self.reply()

    def await_alert(self):
        """Waits for an alert. The first one is in the initial state of a subscription or in a later change."""
        with Wire(self.path) as other:
            other.send("org.todod.Store.Subscribe", {"scope": "alerts.items"}, more=True)
            while '"text"' not in json.dumps(other.reply()):
                pass
