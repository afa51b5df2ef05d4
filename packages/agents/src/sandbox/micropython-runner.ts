/** @file The Python program that runs a job in MicroPython, as text for the interpreter. */

/**
 * The code shares an interpreter with this program, so its output is trusted no more than the code: nothing here is a security boundary.
 */
export const microPythonRunner = String.raw`
def _run():
    import builtins, json, sys
    with open("/.ludus/job") as file:
        job = json.loads(file.read())

    class ToolError(Exception):
        pass

    def call(name, given=None):
        with open("/.ludus/call", "r+") as file:
            file.write(json.dumps({"name": str(name), "text": json.dumps({} if given is None else given)}) + "\n")
            file.flush()
            answer = json.loads(file.read())
        value = json.loads(answer["text"])
        if not answer["ok"]:
            raise ToolError(value if isinstance(value, str) else json.dumps(value))
        return value

    class Tools:
        pass

    def tool(name):
        return lambda given=None, **named: call(name, named if given is None else given)

    tools = Tools()
    for name in job["tools"]:
        setattr(tools, name, tool(name))
    builtins.tools = tools
    builtins.call_tool = call

    def words(thrown):
        text = str(thrown)
        return (type(thrown).__name__ + (": " + text if text else ""))[:500]

    def tests(paths):
        import unittest
        results = []

        def attempt(name, work):
            try:
                work()
                results.append({"name": name, "ok": True, "why": ""})
            except unittest.SkipTest:
                pass
            except MemoryError:
                raise
            except Exception as thrown:
                results.append({"name": name, "ok": False, "why": words(thrown)})

        for path in paths:
            name = path[:-3].replace("/", ".")
            try:
                __import__(name)
                module = sys.modules[name]
            except MemoryError:
                raise
            except Exception as thrown:
                results.append({"name": path, "ok": False, "why": words(thrown)})
                continue
            for own in sorted(dir(module)):
                one = getattr(module, own)
                if isinstance(one, type) and issubclass(one, unittest.TestCase) and one is not unittest.TestCase:
                    if hasattr(one, "setUpClass"):
                        one.setUpClass()
                    for test in sorted(dir(one)):
                        if not test.startswith("test"):
                            continue
                        def work():
                            case = one()
                            if hasattr(case, "setUp"):
                                case.setUp()
                            try:
                                getattr(case, test)()
                            finally:
                                if hasattr(case, "tearDown"):
                                    case.tearDown()
                        attempt(name + "." + own + "." + test, work)
                    if hasattr(one, "tearDownClass"):
                        one.tearDownClass()
                elif own.startswith("test") and callable(one) and not isinstance(one, type):
                    attempt(name + "." + own, one)
        return results

    try:
        if job["tests"] is not None:
            value = tests(job["tests"])
        else:
            with open(job["entry"]) as file:
                source = file.read()
            scope = {"__name__": "__main__"}
            exec(source, scope)
            main = scope.get("main")
            value = main(job["input"]) if callable(main) else scope.get("result")
        end = {"kind": "done", "text": json.dumps(value)}
    except BaseException as thrown:
        deep = isinstance(thrown, RuntimeError) and "recursion" in str(thrown)
        end = {"kind": "memory" if isinstance(thrown, MemoryError) else "stack" if deep else "threw", "text": words(thrown)}
    with open("/.ludus/end", "w") as file:
        file.write(json.dumps(end))

_run()
`;
