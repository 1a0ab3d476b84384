#!/usr/bin/env python3
"""A control program with only Python's standard library: logs in, requests a job, reads its messages, sends a command.

    WEFT_URL=http://127.0.0.1:8000 WEFT_APP_NAME=saver WEFT_APP_KEY=... python3 examples/python/control.py

Asks Weft which agents there are (as a job), takes the first that would hear a command now, and sends it one. A job's
messages can be had over a WebSocket, for which Python has no client of its own, or, as here, by asking for those after the
last one.
"""

import json
import os
import sys
import time
import urllib.error
import urllib.parse
import urllib.request


class Refused(Exception):
    """Weft rejected the request: the status, the code and the body of its answer."""

    def __init__(self, status, body):
        detail = body.get("detail")
        if isinstance(detail, list):
            # Each problem with its field.
            detail = "; ".join(f"{'.'.join(map(str, problem['loc'][1:]))}: {problem['msg']}" for problem in detail)
        super().__init__(f"{status} {body.get('code')}: {detail}")
        self.status, self.body, self.detail = status, body, detail


class Weft:
    def __init__(self, url, name, key):
        self.url, self.name, self.key = url.rstrip("/"), name, key
        self.token, self.renew_at = None, 0.0

    def log_in(self):
        form = urllib.parse.urlencode({"username": self.name, "password": self.key}).encode()
        answer = self._send("POST", "/api/v1/token/?login_type=third_party_app", form)
        self.token = answer["access_token"]
        # Renew before the token expires.
        self.renew_at = time.monotonic() + answer["expires_in"] * 0.8

    def ask(self, method, path, **query):
        """The JSON of the answer. Retries after Retry-After while Weft is busy."""
        if time.monotonic() >= self.renew_at:
            self.log_in()
        given = {key: value for key, value in query.items() if value is not None}
        for attempt in range(6):
            try:
                return self._send(method, path + ("?" + urllib.parse.urlencode(given) if given else ""))
            except Refused as refusal:
                if refusal.status not in (429, 503) or attempt == 5:
                    raise
                time.sleep(float(refusal.body.get("retry_after", 1)))

    def messages(self, job_number):
        """Every message of a job, in order, until it has ended."""
        after = 0
        while True:
            job = self.ask("GET", f"/api/v1/jobs/{job_number}", after=after)
            for message in job["messages"]:
                after = message["seq"]
                yield message
            if job["state"] not in ("queued", "running") and not job["has_more"]:
                return
            if not job["messages"]:
                time.sleep(0.1)

    def _send(self, method, target, form=None):
        request = urllib.request.Request(self.url + target, data=form, method=method)
        if self.token and form is None:
            request.add_header("Authorization", f"Bearer {self.token}")
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            try:
                body = json.load(error)
            except ValueError:
                body = {"code": "unknown", "detail": error.reason}
            body.setdefault("retry_after", error.headers.get("Retry-After") or 1)
            raise Refused(error.code, body) from None


def main():
    try:
        weft = Weft(os.environ.get("WEFT_URL", "http://127.0.0.1:8000"), os.environ["WEFT_APP_NAME"], os.environ["WEFT_APP_KEY"])
    except KeyError as missing:
        sys.exit(f"{missing.args[0]} must be set")

    # A job: the answer is its number, and its results arrive as messages.
    job = weft.ask("POST", "/api/v1/agent_details/request_all_agents_details")
    agents = [agent for message in weft.messages(job["job_number"]) if message["type"] == "agent_details" for agent in message["data"]]
    print(f"{len(agents)} agents")

    ready = {each["ap_id"] for each in weft.ask("GET", "/api/v1/metrics/presence")["agents"] if each["command_ready"]}
    for agent in agents:
        if agent["ap_id"] in ready:
            break
    else:
        sys.exit("no access point can be reached now")

    command = json.dumps({"name": "set_report_interval", "seconds": 2})
    try:
        sent = weft.ask("POST", "/api/v1/send_command", agent_id=agent["ap_id"], command=command, hold_seconds=30)
    except Refused as refusal:
        if refusal.body.get("code") != "command_conflict":
            raise
        sys.exit(f"refused: {refusal.detail}")
    print(f"{agent['ap_id']}: {sent['verdict']}")
    for message in weft.messages(sent["job_number"]):
        if message["type"] == "command":
            for report in message["data"]:
                print(f"{agent['ap_id']}: {report['state']}")


if __name__ == "__main__":
    main()
