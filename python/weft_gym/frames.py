"""`weft env` as a process: worlds that are made, reset and stepped with frames over its standard input and output."""

import json
import os
import shlex
import struct
import subprocess
from dataclasses import dataclass

import numpy as np

MAKE, RESET, STEP, SNAPSHOT, RESTORE, CLOSE = 1, 2, 3, 4, 5, 6
ANSWER, ERROR = 64, 65
VERSION = 1
MAX_FRAME_BYTES = 64 * 1024 * 1024


class WeftError(Exception):
    """An error of the environment, which has changed nothing: `code`, `detail`, and the `world` that it is about."""

    def __init__(self, code, detail, world=None):
        super().__init__(f"{detail} ({code})" if world is None else f"{detail} ({code}, world {world})")
        self.code = code
        self.detail = detail
        self.world = world


@dataclass
class Answer:
    """What all worlds show: the first axis is the world, the second the access point."""

    observations: np.ndarray
    valid: np.ndarray
    devices: np.ndarray
    components: np.ndarray
    masks: np.ndarray
    terminated: np.ndarray
    truncated: np.ndarray


def weft_command():
    """How `weft` is started: $WEFT_COMMAND (words of a shell, or a JSON list), else `weft` on the PATH."""
    given = os.environ.get("WEFT_COMMAND", "weft")
    return json.loads(given) if given.startswith("[") else shlex.split(given)


class Worlds:
    """Several worlds of one description, in a process of their own."""

    def __init__(self, spec, worlds=1, command=None):
        self._process = subprocess.Popen(
            [*(command or weft_command()), "env"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        try:
            self.layout, _ = self._ask(MAKE, {"spec": spec, "worlds": worlds})
        except BaseException:
            self._process.kill()
            self._process.wait()
            raise
        self.worlds = worlds
        names = self.layout["names"]
        self.access_points = names["access_points"]
        self.columns = names["columns"]
        self.choices = names["choices"]
        self.device_columns = names["devices"]
        self.components = self.layout["components"]
        self.task = self.layout["task"] or None
        graph = self.layout["neighbours"]
        self.neighbours = np.array([graph["from"], graph["to"]], dtype=np.int32).T.reshape(-1, 2)
        self.distances_m = np.array(graph["distance_m"], dtype=np.float32)

    def reset(self, seeds, warmup_seconds=0):
        """Begins worlds anew; one whose seed is None goes on."""
        plain = [None if seed is None else int(seed) for seed in seeds]
        return self._answer(RESET, {"seeds": plain, "warmup_seconds": warmup_seconds})

    def step(self, seconds, actions):
        """One choice for each access point of each world, then so many seconds of model time."""
        return self._answer(STEP, {"seconds": seconds}, np.asarray(actions, dtype="<f4").reshape(-1))

    def snapshot(self):
        """A number for `restore`; the process keeps the last 64."""
        head, _ = self._ask(SNAPSHOT, {})
        return head["snapshot"]

    def restore(self, snapshot):
        return self._answer(RESTORE, {"snapshot": snapshot})

    def close(self):
        if self._process.poll() is None:
            try:
                self._ask(CLOSE, {})
            except (WeftError, OSError):
                self._process.kill()
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _answer(self, kind, head, block=None):
        head, block = self._ask(kind, head, block)
        parts, start = {}, 0
        for name, shape in head["shapes"].items():
            end = start + int(np.prod(shape))
            parts[name] = block[start:end].reshape(shape)
            start = end
        ended = {name: np.array(head[name], dtype=bool) for name in ("terminated", "truncated")}
        return Answer(**parts, **ended)

    def _ask(self, kind, head, block=None):
        text = json.dumps(head).encode()
        body = b"" if block is None else block.tobytes()
        length = 6 + len(text) + len(body)
        if length > MAX_FRAME_BYTES:
            raise WeftError("frame_too_large", f"a frame has at most {MAX_FRAME_BYTES} bytes")
        self._process.stdin.write(struct.pack("<IBBI", length, VERSION, kind, len(text)) + text + body)
        self._process.stdin.flush()
        (length,) = struct.unpack("<I", self._read(4))
        frame = self._read(length)
        _, kind, head_bytes = struct.unpack_from("<BBI", frame)
        answer = json.loads(frame[6 : 6 + head_bytes])
        if kind == ERROR:
            raise WeftError(answer["code"], answer["detail"], answer["world"])
        return answer, np.frombuffer(frame, dtype="<f4", offset=6 + head_bytes)

    def _read(self, count):
        data = self._process.stdout.read(count)
        if len(data) < count:
            raise WeftError("ended", "weft env has ended: see what it printed")
        return data
