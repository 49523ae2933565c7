"""The program that a Python tool file runs in: deckhand_host.py COPY ORIGINAL. Started by the runtime only.

It speaks the same protocol as the host for JavaScript: one JSON object per line, in on descriptor 3, out on 4.
Calls run on the main thread: `def run` one at a time, `async def run` side by side. A second thread listens.
"""
import sys

# Its own folder is no place to import from.
sys.path.pop(0)

import asyncio
import contextvars
import errno
import inspect
import json
import os
import re
import threading
import traceback

LONGEST_TEXT = 8_000_000
PROGRESS_EVERY_S = 0.02


def main():
    copy, original = sys.argv[1], sys.argv[2]
    sys.argv = [original]
    host = Host(copy, original)
    if not host.load():
        os._exit(0)
    asyncio.run(host.serve())


class Wire:
    def __init__(self):
        self.lock = threading.Lock()
        self.source = os.fdopen(3, "r", encoding="utf-8", newline="\n")

    def send(self, **message):
        data = (json.dumps(message, ensure_ascii=True) + "\n").encode()
        try:
            with self.lock:
                while data:
                    data = data[os.write(4, data) :]
        except OSError:
            os._exit(1)

    def lines(self):
        for line in self.source:
            yield json.loads(line)


class Host:
    def __init__(self, copy, original):
        self.copy, self.original = copy, original
        self.wire = Wire()
        self.calls = {}
        self.lock = threading.Lock()
        self.instance = None
        self.made = None
        self.current = contextvars.ContextVar("call", default=None)

    def load(self):
        try:
            self.module = self.import_file()
            spec = getattr(self.module, "TOOL_SPEC", None)
            spec = json.loads(json.dumps(spec)) if isinstance(spec, dict) else None
        except BaseException as error:
            self.wire.send(kind="broken", problem=explain_load_error(error, self.original))
            return False
        self.schema = (spec or {}).get("input_schema", True)
        exported = "create" if callable(getattr(self.module, "create", None)) else "run" if callable(getattr(self.module, "run", None)) else "neither"
        self.wire.send(kind="loaded", file={"spec": spec, "line": self.find_spec_line(), "exports": exported})
        return True

    def import_file(self):
        import types

        with open(self.copy, "rb") as file:
            source = file.read()
        # As if it were run from where the person has it.
        # What it imports from its folder was kept with it: the file itself may be another one by now.
        sys.path[:0] = [os.path.dirname(self.copy), os.path.dirname(self.original)]
        module = types.ModuleType(os.path.splitext(os.path.basename(self.original))[0])
        module.__file__ = self.original
        sys.modules[module.__name__] = module
        exec(compile(source, self.original, "exec"), module.__dict__)
        return module

    def find_spec_line(self):
        with open(self.copy, encoding="utf-8", errors="replace") as file:
            for number, line in enumerate(file, 1):
                if re.match(r"TOOL_SPEC\b", line):
                    return number
        return None

    async def serve(self):
        self.loop = asyncio.get_running_loop()
        self.loop.set_exception_handler(self.tell_uncaught)
        self.ended = asyncio.Event()
        threading.excepthook = lambda details: self.tell_uncaught(None, {"exception": details.exc_value})
        threading.Thread(target=self.listen, daemon=True).start()
        await self.ended.wait()
        await self.close()
        self.wire.send(kind="closed")
        sys.stdout.flush()
        os._exit(0)

    def tell_uncaught(self, _loop, details):
        error = details.get("exception")
        if error is None:
            return
        traceback.print_exception(type(error), error, error.__traceback__)
        self.wire.send(kind="uncaught", id=None, message=describe_error(error), errorType=thrown_type(error))

    def listen(self):
        for message in self.wire.lines():
            kind = message["kind"]
            if kind == "call":
                call = Call(self, message)
                with self.lock:
                    self.calls[call.id] = call
                self.loop.call_soon_threadsafe(self.begin, call)
            elif kind == "check":
                self.loop.call_soon_threadsafe(self.check, message)
            elif kind == "cancel":
                self.cancel(message["id"])
            elif kind == "answer":
                call = self.calls.get(message["id"])
                if call:
                    call.answered(message["ask"], message["answer"])
            elif kind == "close":
                break
        self.loop.call_soon_threadsafe(self.ended.set)

    def check(self, message):
        problems = validate(self.schema, message["input"])
        self.wire.send(kind="checked", id=message["id"], problems=problems or None)

    def cancel(self, number):
        with self.lock:
            call = self.calls.get(number)
            if not call:
                return
            call.is_cancelled.set()
            if call.task is None and not call.has_entered:
                # It waits behind another one that does not let go: it will never begin.
                del self.calls[number]
                self.wire.send(kind="ended", id=number, result=failure("It was stopped before it began.", "cancelled"))
        call.stop_asking()
        if call.task is not None:
            self.loop.call_soon_threadsafe(call.task.cancel)

    def begin(self, call):
        if call.id not in self.calls:
            return
        problems = validate(self.schema, call.input)
        if problems:
            self.calls.pop(call.id, None)
            self.wire.send(kind="invalid", id=call.id, problems=problems)
            return
        task = self.loop.create_task(self.run(call))
        task.add_done_callback(lambda done: done.cancelled() and self.finish(call, failure("The call was stopped.", "cancelled")))

    async def run(self, call):
        self.current.set(call.id)
        try:
            run = await self.runner(call)
        except BaseException as error:
            traceback.print_exc()
            return self.finish(call, failure("create() failed: " + describe_error(error), thrown_type(error)), isUnusable=True)
        with self.lock:
            if call.id not in self.calls:
                return
            call.has_entered = True
        self.wire.send(kind="entered", id=call.id)
        try:
            value = run(call.input, call.context)
            if inspect.isawaitable(value):
                call.task = asyncio.current_task()
                if call.is_cancelled.is_set():
                    call.task.cancel()
                value = await value
            result = to_result(value)
        except asyncio.CancelledError:
            result = failure("The call was stopped.", "cancelled")
        except SystemExit as error:
            result = failure("The tool called sys.exit(%s); return a result or raise an error instead." % (error.code,), "crashed")
        except BaseException as error:
            traceback.print_exc()
            result = thrown_result(error, self.original)
        self.finish(call, result)

    async def runner(self, call):
        if not callable(getattr(self.module, "create", None)):
            return self.module.run
        if self.made is None:
            self.made = self.loop.create_task(self.make(call))
        self.instance = await asyncio.shield(self.made)
        return self.instance.run

    async def make(self, call):
        instance = self.module.create(LastingContext(call.context.workdir, call.context.env))
        if inspect.isawaitable(instance):
            instance = await instance
        if not callable(getattr(instance, "run", None)):
            raise TypeError("it returned nothing that has a function run(input_data, context)")
        return instance

    def finish(self, call, result, **more):
        with self.lock:
            if self.calls.pop(call.id, None) is None:
                return
        call.end()
        self.wire.send(kind="ended", id=call.id, result=result, **more)

    async def close(self):
        if self.made is None:
            return
        try:
            instance = await self.made
            close = getattr(instance, "close", None)
            closed = close() if callable(close) else None
            if inspect.isawaitable(closed):
                await closed
        except BaseException:
            traceback.print_exc()


class Call:
    def __init__(self, host, message):
        self.host, self.id, self.input = host, message["id"], message["input"]
        self.is_cancelled = threading.Event()
        self.has_entered = False
        self.task = None
        self.asks = {}
        self.asked = 0
        self.last_progress = 0.0
        self.waiting = None
        facts = message["context"]
        self.context = Context(self, facts)

    def progress(self, update):
        import time

        now = time.monotonic()
        if now - self.last_progress < PROGRESS_EVERY_S:
            self.waiting = update
            return
        self.last_progress, self.waiting = now, None
        self.host.wire.send(kind="progress", id=self.id, update=update)

    def ask(self, question):
        asked = {"text": question} if isinstance(question, str) else dict(question)
        self.asked += 1
        entry = self.asks[self.asked] = [threading.Event(), {"answered": False, "reason": "cancelled"}]
        if not self.is_cancelled.is_set():
            self.host.wire.send(kind="ask", id=self.id, ask=self.asked, question=asked)
            entry[0].wait()
        return entry[1]

    def answered(self, number, answer):
        entry = self.asks.get(number)
        if entry:
            entry[1] = answer
            entry[0].set()

    def stop_asking(self):
        for entry in list(self.asks.values()):
            entry[0].set()

    def end(self):
        if self.waiting is not None:
            self.host.wire.send(kind="progress", id=self.id, update=self.waiting)
            self.waiting = None


class Context:
    """What a tool is given besides its input."""

    def __init__(self, call, facts):
        self._call = call
        self.workdir = facts["workdir"]
        self.execution_id = facts["executionId"]
        self.conversation_id = facts["conversationId"]
        self.idempotency_key = facts["idempotencyKey"]
        self.env = dict(facts["env"])
        self.signal = call.is_cancelled

    def cancelled(self):
        return self._call.is_cancelled.is_set()

    def progress(self, message=None, **more):
        """progress("half way"), progress(done=1, total=2) or progress({"message": ...})"""
        update = dict(message) if isinstance(message, dict) else {} if message is None else {"message": str(message)}
        update.update(more)
        known = {key: update[key] for key in ("message", "output", "stream", "done", "total") if key in update}
        self._call.progress(known)

    def ask(self, question):
        """Waits for the person; gives {"answered": True, "text": ...} or {"answered": False, "reason": ...}."""
        return self._call.ask(question)

    async def ask_async(self, question):
        return await asyncio.get_running_loop().run_in_executor(None, self._call.ask, question)


class LastingContext:
    """What create() is given: it outlives every call."""

    def __init__(self, workdir, env):
        self.workdir, self.env = workdir, env

    def cancelled(self):
        return False

    def progress(self, message=None, **more):
        pass


def failure(error, error_type):
    return {"ok": False, "error": error, "errorType": error_type}


def describe_error(error):
    text = str(error)
    name = type(error).__name__
    return (text if text and isinstance(error, (RuntimeError, ValueError)) else "%s: %s" % (name, text) if text else name)[:10_000]


def thrown_type(error):
    said = getattr(error, "error_type", None)
    if isinstance(said, str) and said:
        return said[:100]
    if isinstance(error, PermissionError):
        return "permission"
    number = getattr(error, "errno", None) if isinstance(error, OSError) else None
    if number in (errno.EBADMSG, getattr(errno, "EUCLEAN", errno.EBADMSG)):
        return "data_corruption"
    # 11 and 26 are SQLite's CORRUPT and NOTADB.
    if getattr(error, "sqlite_errorcode", None) in (11, 26) or "corrupt" in type(error).__name__.lower():
        return "data_corruption"
    return "threw"


def thrown_result(error, original):
    if isinstance(error, MemoryError):
        return dict(failure("The tool used more memory than it may.", "memory"), hint="Work on the data in pieces.")
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename != __file__]
    trace = "".join(traceback.format_list(frames[-6:])).rstrip()
    result = failure(describe_error(error), thrown_type(error))
    return dict(result, output=trace) if trace else result


def explain_load_error(error, original):
    line, hint = None, None
    if isinstance(error, SyntaxError) and error.filename == original:
        line, message = error.lineno, "Syntax error: %s" % error.msg
    else:
        frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == original]
        line, message = (frames[-1].lineno if frames else None), describe_error(error)
    if isinstance(error, ModuleNotFoundError):
        message = str(error)
        hint = "Run `python3 -m pip install %s`, or write the tool without it." % (error.name or "the package").split(".")[0]
    if isinstance(error, SystemExit):
        message, hint = "While it was imported it called sys.exit(%s)." % (error.code,), "A tool file must not call sys.exit()."
    return {"message": message, "line": line, "hint": hint}


def to_result(value):
    try:
        if isinstance(value, str):
            return with_output({"ok": True}, value)
        if value is None:
            return {"ok": True, "output": ""}
        if isinstance(value, (bytes, bytearray)):
            return with_output({"ok": True}, bytes(value).decode("utf-8", "replace"))
        if isinstance(value, dict) and isinstance(value.get("ok"), bool):
            return read_result(value)
        text = to_json(value)
        return with_data(with_output({"ok": True}, text), text)
    except (TypeError, ValueError, RecursionError) as error:
        what = "The tool returned something that can't be written as JSON (%s); return a string, a JSON value or {ok, output}."
        return failure(what % str(error)[:200], "invalid_result")


def read_result(value):
    output = value.get("output")
    text = output if isinstance(output, str) or output is None else to_json(output)
    data = to_json(value["data"]) if value.get("data") is not None else None
    result = {"ok": value["ok"]}
    if value.get("files"):
        result["files"] = [str(each) for each in value["files"]]
    if not value["ok"]:
        error = value.get("error")
        result["error"] = cut("The tool failed and did not say why." if error is None else str(error), 100_000)
        error_type = value.get("error_type", value.get("errorType"))
        if isinstance(error_type, str):
            result["errorType"] = error_type[:100]
        if isinstance(value.get("hint"), str):
            result["hint"] = value["hint"][:10_000]
    if value["ok"] and text is None:
        text = data or ""
    if text is not None:
        result = with_output(result, text)
    return result if data is None else with_data(result, data)


def with_output(result, text):
    if len(text) <= LONGEST_TEXT:
        return dict(result, output=text)
    return dict(result, output=cut(text, LONGEST_TEXT), outputBytes=len(text.encode("utf-8", "replace")))


def cut(text, limit):
    return text if len(text) <= limit else "%s… [%d characters cut]" % (text[:limit], len(text) - limit)


def with_data(result, text):
    return result if len(text) > LONGEST_TEXT else dict(result, data=json.loads(text))


def to_json(value):
    # NaN is no JSON.
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except TypeError:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, default=plain)


def plain(value):
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=str)
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if hasattr(value, "__fspath__"):
        return os.fspath(value)
    raise TypeError("a %s" % type(value).__name__)


# --- JSON Schema, as far as models need it: the same rules and sentences as in validate-input.ts ---

DEEPEST = 64


def validate(schema, value, root=None, path="", depth=0):
    root = schema if root is None else root
    if isinstance(schema, bool):
        return [] if schema else [wrong(path, "expected nothing here", value)]
    if depth > DEEPEST:
        return [wrong(path, "expected something that ends", value)]
    if "type" in schema:
        types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        if not any(is_of_type(each, value) for each in types):
            return [wrong(path, "expected " + " or ".join(map(str, types)), value)]
    problems = []
    reference = schema.get("$ref")
    if isinstance(reference, str):
        target = follow(root, reference)
        if target is None:
            problems.append(wrong(path, "expected what %s names, which is not there" % reference, value))
        else:
            problems += validate(target, value, root, path, depth + 1)
    problems += check_choices(schema, value, path)
    problems += check_combinations(schema, value, root, path, depth)
    if isinstance(value, str):
        problems += [wrong(path, each, value) for each in check_text(schema, value)]
    if is_number(value):
        problems += [wrong(path, each, value) for each in check_number(schema, value)]
    if isinstance(value, list):
        problems += check_items(schema, value, root, path)
    if isinstance(value, dict):
        problems += check_properties(schema, value, root, path)
    return problems


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_of_type(name, value):
    if name == "object":
        return isinstance(value, dict)
    if name == "array":
        return isinstance(value, list)
    if name == "null":
        return value is None
    if name == "integer":
        return is_number(value) and float(value).is_integer()
    if name == "number":
        return is_number(value)
    if name == "boolean":
        return isinstance(value, bool)
    return name == "string" and isinstance(value, str)


def follow(root, reference):
    at = root if reference.startswith("#") else None
    for step in reference.split("/")[1:]:
        key = step.replace("~1", "/").replace("~0", "~")
        at = at.get(key) if isinstance(at, dict) else at[int(key)] if isinstance(at, list) and key.isdigit() and int(key) < len(at) else None
    return at


def check_choices(schema, value, path):
    choices = schema.get("enum")
    if isinstance(choices, list) and not any(is_equal(each, value) for each in choices):
        return [wrong(path, "expected one of " + ", ".join(show_json(each) for each in choices), value)]
    if "const" in schema and not is_equal(schema["const"], value):
        return [wrong(path, "expected " + show_json(schema["const"]), value)]
    return []


def is_equal(a, b):
    return a == b and isinstance(a, bool) == isinstance(b, bool)


def show_json(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def check_combinations(schema, value, root, path, depth):
    def problems_of(each):
        return validate(each, value, root, path, depth + 1)

    problems = []
    for each in schema.get("allOf") or []:
        problems += problems_of(each)
    if schema.get("anyOf"):
        problems += nearest([problems_of(each) for each in schema["anyOf"]])
    if schema.get("oneOf"):
        results = [problems_of(each) for each in schema["oneOf"]]
        fitting = sum(1 for each in results if not each)
        if fitting > 1:
            problems.append(wrong(path, "expected exactly one of %d forms, %d fit" % (len(results), fitting), value))
        problems += nearest(results)
    if "not" in schema and not problems_of(schema["not"]):
        problems.append(wrong(path, "expected something else", value))
    return problems


def nearest(results):
    return min(results, key=lambda each: (len(each), -max([len(one["path"]) for one in each] or [0])))


def check_text(schema, value):
    problems = []
    if "minLength" in schema and len(value) < schema["minLength"]:
        problems.append("expected at least %d characters" % schema["minLength"])
    if "maxLength" in schema and len(value) > schema["maxLength"]:
        problems.append("expected at most %d characters" % schema["maxLength"])
    # May take for ever: that is why this runs in the tool's own process.
    if isinstance(schema.get("pattern"), str) and not re.search(schema["pattern"], value):
        problems.append("expected a text that fits " + schema["pattern"])
    return problems


def check_number(schema, value):
    problems = []
    if "minimum" in schema and value < schema["minimum"]:
        problems.append("expected %s or more" % schema["minimum"])
    if "maximum" in schema and value > schema["maximum"]:
        problems.append("expected %s or less" % schema["maximum"])
    if "exclusiveMinimum" in schema and value <= schema["exclusiveMinimum"]:
        problems.append("expected more than %s" % schema["exclusiveMinimum"])
    if "exclusiveMaximum" in schema and value >= schema["exclusiveMaximum"]:
        problems.append("expected less than %s" % schema["exclusiveMaximum"])
    step = schema.get("multipleOf")
    if step and abs(value / step - round(value / step)) >= 1e-9:
        problems.append("expected a multiple of %s" % step)
    return problems


def check_items(schema, value, root, path):
    problems = []
    if "minItems" in schema and len(value) < schema["minItems"]:
        problems.append(wrong(path, "expected at least %d items" % schema["minItems"], value))
    if "maxItems" in schema and len(value) > schema["maxItems"]:
        problems.append(wrong(path, "expected at most %d items" % schema["maxItems"], value))
    if schema.get("uniqueItems") is True and len({show_json(each) for each in value}) < len(value):
        problems.append(wrong(path, "expected items that differ", value))
    first = schema.get("prefixItems") or []
    for index, item in enumerate(value):
        item_schema = first[index] if index < len(first) else schema.get("items")
        if item_schema is None:
            break
        problems += validate(item_schema, item, root, "%s[%d]" % (path, index))
    return problems


def check_properties(schema, value, root, path):
    known = schema.get("properties") or {}
    additional = schema.get("additionalProperties")
    problems = []

    def at(key):
        return key if path == "" else "%s.%s" % (path, key)

    for key in schema.get("required") or []:
        if key not in value:
            problems.append({"path": at(key), "kind": "missing", "message": at(key) + " is missing"})
    for key, each in value.items():
        if key in known:
            problems += validate(known[key], each, root, at(key))
        elif additional is False:
            names = ", ".join(known) or "none"
            problems.append({"path": at(key), "kind": "wrong", "message": "%s is not known; there are: %s" % (at(key), names)})
        elif additional is not None:
            problems += validate(additional, each, root, at(key))
    if "minProperties" in schema and len(value) < schema["minProperties"]:
        problems.append(wrong(path, "expected at least %d keys" % schema["minProperties"], value))
    if "maxProperties" in schema and len(value) > schema["maxProperties"]:
        problems.append(wrong(path, "expected at most %d keys" % schema["maxProperties"], value))
    return problems


def wrong(path, expected, value):
    return {"path": path, "kind": "wrong", "message": "%s: %s, got %s" % (path or "the input", expected, describe(value))}


def describe(value):
    if value is None:
        return "null"
    if isinstance(value, list):
        return "an array of %d" % len(value)
    if isinstance(value, str):
        return "the string " + show_json(value if len(value) <= 40 else value[:40] + "…")
    if isinstance(value, dict):
        return "an object"
    return "the %s %s" % ("boolean" if isinstance(value, bool) else "number", show_json(value))


if __name__ == "__main__":
    main()
