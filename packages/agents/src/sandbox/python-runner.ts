/**
 * @file The Python program that runs inside bubblewrap: reads one job, runs it, and reports the result. It is text, because it is passed to
 * the interpreter as an argument.
 */

/**
 * The code shares a process with this program, so its output is trusted no more than the code. The key prevents text that the code writes
 * to a channel from being taken for a message; code that searches the interpreter for the key can still forge its result.
 */
export const pythonRunner = String.raw`
import io, json, os, random, sys, time, types, builtins, traceback
BOX = sys.argv[1]
speak = os.fdopen(os.dup(1), "w", encoding="utf-8", errors="replace")
listen = os.fdopen(os.dup(0), "r", encoding="utf-8")
null = os.open(os.devnull, os.O_RDWR)
for fd in (0, 1, 2):
    os.dup2(null, fd)
job = json.loads(listen.readline())
limits = job["limits"]
key = job.pop("key", None)
parts, size, began = [], 0, time.monotonic()

def sender(speak, key, dumps):
    def send(message):
        speak.write(dumps({**message, "key": key}) + "\n")
        speak.flush()
    return send

send = sender(speak, key, json.dumps)
del speak, key

def written():
    out, total = {}, 0
    for folder, folders, names in os.walk(BOX):
        folders[:] = [name for name in folders if name != "__pycache__"]
        for name in names:
            path = os.path.join(folder, name)
            at = os.path.relpath(path, BOX).replace(os.sep, "/")
            try:
                if os.path.islink(path) or not os.path.isfile(path):
                    continue
                with open(path, encoding="utf-8") as file:
                    text = file.read(limits["fileCharacters"] + 1)
            except (OSError, UnicodeDecodeError):
                continue
            total += len(at) + len(text)
            if total > limits["fileCharacters"]:
                return {}
            if job["files"].get(at) != text:
                out[at] = text
    return out

def end(kind, text):
    files = {}
    if kind in ("done", "threw"):
        try:
            files = written()
        except BaseException:
            pass
    cpu = time.process_time() - started_cpu
    used = {"milliseconds": round((time.monotonic() - began) * 1000), "cpuMilliseconds": round(cpu * 1000), "bytes": peak()}
    send({"type": "end", "kind": kind, "text": text, "printed": "".join(parts)[: limits["characters"]], "files": files, "used": used})
    os._exit(0)

def peak():
    try:
        import resource
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    except Exception:
        return 0

class Printed(io.TextIOBase):
    def writable(self):
        return True
    def write(self, text):
        global size
        text = str(text)
        parts.append(text[: limits["characters"] + 1])
        size += len(text)
        if size > limits["characters"]:
            end("output", "")
        return len(text)

class ToolError(Exception):
    pass

asked = 0
def call(name, given=None):
    global asked
    asked += 1
    send({"type": "call", "id": asked, "name": str(name), "text": json.dumps({} if given is None else given)})
    answer = json.loads(listen.readline())
    value = json.loads(answer["text"])
    if not answer["ok"]:
        raise ToolError(value if isinstance(value, str) else json.dumps(value))
    return value

def tool(name):
    return lambda given=None, **named: call(name, named if given is None else given)

def fail(thrown):
    words = "".join(traceback.format_exception_only(type(thrown), thrown)).strip()[:500]
    kind = "memory" if isinstance(thrown, MemoryError) else "stack" if isinstance(thrown, RecursionError) else "threw"
    end(kind, words)

def load(path, name):
    import importlib.util
    spec = importlib.util.spec_from_file_location(name, os.path.join(BOX, path))
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module

def tests(paths):
    import unittest
    results = []
    class Kept(unittest.TestResult):
        def addSuccess(self, test):
            results.append({"name": test.id(), "ok": True, "why": ""})
        def keep(self, test, error):
            results.append({"name": test.id(), "ok": False, "why": "".join(traceback.format_exception_only(error[0], error[1])).strip()[:500]})
        addError = addFailure = keep
        def addSubTest(self, test, subtest, error):
            if error is not None:
                self.keep(subtest, error)
        def addUnexpectedSuccess(self, test):
            results.append({"name": test.id(), "ok": False, "why": "was expected to fail, but passed"})
        def addExpectedFailure(self, test, error):
            self.addSuccess(test)
    for path in paths:
        name = path[:-3].replace("/", ".")
        try:
            module = load(path, name)
            suite = unittest.TestLoader().loadTestsFromModule(module)
        except MemoryError:
            raise
        except Exception as thrown:
            results.append({"name": path, "ok": False, "why": "".join(traceback.format_exception_only(type(thrown), thrown)).strip()[:500]})
            continue
        suite.run(Kept())
        for own, test in list(vars(module).items()):
            if own.startswith("test") and isinstance(test, types.FunctionType) and test.__module__ == name and test.__code__.co_argcount == 0:
                try:
                    test()
                    results.append({"name": name + "." + own, "ok": True, "why": ""})
                except MemoryError:
                    raise
                except Exception as thrown:
                    results.append({"name": name + "." + own, "ok": False, "why": "".join(traceback.format_exception_only(type(thrown), thrown)).strip()[:500]})
    return results

def plain(value):
    return json.dumps(value, allow_nan=False)

for path, text in job["files"].items():
    at = os.path.join(BOX, path)
    os.makedirs(os.path.dirname(at), exist_ok=True)
    with open(at, "w", encoding="utf-8", newline="") as file:
        file.write(text)
os.chdir(BOX)
sys.path.insert(0, BOX)
sys.argv = ["main"]
sys.dont_write_bytecode = True
random.seed(job["seed"])
builtins.tools = types.SimpleNamespace(**{name: tool(name) for name in job["tools"]})
builtins.call_tool = call
sys.stdout = sys.stderr = Printed()
started_cpu = time.process_time()
send({"type": "started"})
began = time.monotonic()
try:
    if job["tests"] is not None:
        value = tests(job["tests"])
    else:
        module = load(job["entry"], "__main__")
        value = module.main(job["input"]) if callable(getattr(module, "main", None)) else getattr(module, "result", None)
    text = plain(value)
except BaseException as thrown:
    fail(thrown)
if len(text) > limits["characters"]:
    end("output", "The result is longer than %d characters." % limits["characters"])
end("done", text)
`;
