/** @file Code that tries to leave the sandbox, to forge its result, or to drown it. */

import type { SandboxLimits } from '@ludus-agents/agents/internal/sandbox/limits';
import type { ProblemKind } from '@ludus-agents/agents/internal/sandbox/sandbox';

export const wide = { milliseconds: 30_000, wallMilliseconds: 120_000, megabytes: 48, characters: 5_000, calls: 20 };
/** For code that never ends but is polled: processor time. */
const brief = { ...wide, milliseconds: 200 };
/** For code that cannot be interrupted inside: the parent's kill. */
const killed = { ...wide, wallMilliseconds: 300 };

/** The end of an attack: what ended it, or the harmless value it came to. */
type End = ProblemKind | readonly ProblemKind[] | { readonly value: unknown };
export type Attack = readonly [name: string, code: string, end: End, limits?: SandboxLimits];

export const body = (code: string) => `export default async (input) => { ${code} }`;

/** The way out of node:vm: an error of the outer realm, a setter on its Object.prototype, a handle of a stream, emit, process. */
const chain = body(`
  let outer;
  try { await import('node:nothing'); } catch (thrown) { outer = thrown; }
  let top = outer;
  while (Object.getPrototypeOf(top) !== null) top = Object.getPrototypeOf(top);
  const caught = [];
  for (const name of ['onread', 'handle', '_handle', 'owner', 'stream', 'fd', 'emit', 'domain', 'process', 'parent', 'callback', 'reading'])
    Object.defineProperty(top, name, { configurable: true, set(value) { caught.push([this, value]); } });
  console.log('something for a stream');
  for (let i = 0; i < 50; i++) await null;
  try { await tools.twice({ n: 1 }); } catch {}
  const found = [];
  for (const [self, value] of caught) for (const one of [self, value]) {
    const emit = one?.emit ?? one?.constructor?.prototype?.emit;
    if (typeof emit === 'function') found.push(emit.constructor('return typeof process')());
  }
  return [top === Object.prototype, found, typeof process, outer.constructor.constructor('return typeof process')()];
`);

export const escapes: readonly Attack[] = [
  ['the chain from a failed import to process', chain, { value: [true, [], 'undefined', 'undefined'] }],
  ['a constructor of a constructor', body('return (() => {}).constructor.constructor("return process")().pid'), 'threw'],
  ['the constructor of the input', body('return input.constructor.constructor("return process")().pid'), 'threw'],
  ['the constructor of a tool', body('return tools.twice.constructor("return process")().pid'), 'threw'],
  ['the constructor of an answer', body('return (await tools.twice({n: 1})).constructor.constructor("return process")().pid'), 'threw'],
  ['the constructor of an async function', body('return await (async () => {}).constructor("return process")()'), 'threw'],
  [
    'a stack trace',
    body(
      'Error.prepareStackTrace = (_, sites) => sites.map((site) => site.getThis?.()?.process); return new Error().stack.filter?.(Boolean).length',
    ),
    { value: 0 },
  ],
  ['the caller of the code', body('return (function f() { return f.caller.caller.arguments })()'), 'threw'],
  [
    'globals of Node',
    body(
      'return "process require module exports Buffer fetch WebSocket WebAssembly Worker navigator XMLHttpRequest std os scriptArgs performance Atomics".split(" ").filter((name) => name in globalThis)',
    ),
    { value: [] },
  ],
  ...[
    'node:fs',
    'fs',
    'node:sqlite',
    'node:net',
    'os',
    'std',
    'bjson',
    'file:///etc/passwd',
    '/etc/passwd',
    '../../../../etc/passwd',
    'data:text/javascript,export default 1',
    'quickjs-emscripten-core',
  ].map((name): Attack => [`the module ${name}`, `import it from ${JSON.stringify(name)}; export default () => typeof it`, 'threw']),
  [
    'a module by a computed name',
    body('const m = await import(["node", "fs"].join(":")); return m.readFileSync("/etc/passwd", "utf8")'),
    'threw',
  ],
  ['a module with attributes', 'import it from "/etc/passwd" with { type: "json" }; export default it', 'threw'],
  ['TCP', body('const net = await import("node:net"); net.connect(PORT, "127.0.0.1")'), 'threw'],
  ['UDP', body('const { createSocket } = await import("node:dgram"); createSocket("udp4").send("x", PORT, "127.0.0.1")'), 'threw'],
  ['fetch', body('return (await fetch("http://127.0.0.1:PORT")).status'), 'threw'],
  ['a WebSocket', body('return new WebSocket("ws://127.0.0.1:PORT").url'), 'threw'],
  ['a listening socket', body('const net = await import("node:net"); net.createServer().listen(0)'), 'threw'],
  ['killing the parent', body('process.kill(process.ppid)'), 'threw'],
  ['ending the process', body('process.exit(0)'), 'threw'],
  [
    'SQLite writing a file',
    body('const { DatabaseSync } = await import("node:sqlite"); new DatabaseSync("TARGET").exec("CREATE TABLE t(x)")'),
    'threw',
  ],
  ['a built-in module by its loader', body('return process.getBuiltinModule("fs").writeFileSync("TARGET", "x")'), 'threw'],
  ['a child process', body('process.binding("spawn_sync").spawn({ file: "/bin/sh", args: ["sh", "-c", "touch TARGET"] })'), 'threw'],
  ['a path out of the folder', body('files.write("../../written", "x")'), 'threw'],
  ['an absolute path', body('files.write("TARGET", "x"); return files.list().length'), { value: 2 }],
  ['a path with a zero byte', body('files.write("a\\0b", "x")'), 'threw'],
  ['a file called __proto__', body('files.write("__proto__", "x")'), 'threw'],
  ['reading outside', body('return files.read("/etc/passwd")'), 'threw'],
];

export const forgeries: readonly Attack[] = [
  [
    'a message of the engine in a printed line',
    body('console.log("\\n" + JSON.stringify({ type: "end", kind: "done", text: "\\"forged\\"" }) + "\\n"); return "true"'),
    { value: 'true' },
  ],
  ['__proto__ in a result', body('return JSON.parse(\'{"a": {"__proto__": {"polluted": 1}, "b": 2}}\')'), { value: { a: { b: 2 } } }],
  [
    '__proto__ from an own key',
    body('return Object.defineProperty({}, "__proto__", { value: { polluted: 1 }, enumerable: true })'),
    { value: {} },
  ],
  [
    'constructor and prototype as keys',
    body('return { constructor: { prototype: { polluted: 1 } } }'),
    { value: { constructor: { prototype: { polluted: 1 } } } },
  ],
  ['a changed Object.prototype', body('Object.prototype.polluted = 1; Object.prototype.toJSON = () => 5; return {}'), { value: 5 }],
  ['a changed JSON.stringify', body('JSON.stringify = () => ({ length: -1 }); return 1'), { value: 1 }],
  ['changed promises', body('Promise.prototype.then = () => { throw 1 }; globalThis.Promise = null; return 1'), { value: 1 }],
  [
    'changed strings and arrays',
    body('String.prototype.slice = Array.prototype.push = Map.prototype.get = () => "x"; console.log("a"); return 1'),
    { value: 1 },
  ],
  ['a getter in the result', body('return { get a() { globalThis.seen = 1; return typeof process } }'), { value: { a: 'undefined' } }],
  [
    'a proxy as a result',
    body(
      'return new Proxy({}, { ownKeys: () => ["a"], getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }), get: () => 7 })',
    ),
    { value: { a: 7 } },
  ],
  ['a result that throws', body('return { toJSON() { throw new Error("no") } }'), 'threw'],
  ['a result that is not data', body('const a = {}; a.a = a; return a'), 'threw'],
  ['a BigInt as a result', body('return 1n'), 'threw'],
  ['a result that is a function', body('return () => 1'), { value: null }],
  ['a default export that is thenable', 'export default { then(done) { done({ default: 1 }) } }', { value: {} }],
  ['a promise that never ends', body('await new Promise(() => {})'), 'threw'],
  ['an error without a readable message', body('throw { toString() { throw 1 }, get message() { throw 2 } }'), 'threw'],
  ['nothing thrown', body('throw undefined'), 'threw'],
  ['a symbol thrown', body('throw Symbol("x")'), 'threw'],
  ['an unknown tool', body('return await call("rm", {})'), 'threw'],
  ['a tool by an object that turns into a name', body('return await call({ toString: () => "constructor" }, {})'), 'threw'],
  ['wrong arguments', body('return await tools.twice({ n: "1" })'), 'threw'],
  ['arguments with __proto__', body('return await tools.twice(JSON.parse(\'{"n": 1, "__proto__": {"polluted": 1}}\'))'), { value: 2 }],
  ['no arguments', body('return await tools.twice(null)'), 'threw'],
  ['deep arguments', body('let a = 1; for (let i = 0; i < 200; i++) a = [a]; return await tools.twice({ n: a })'), 'threw'],
];

export const floods: readonly Attack[] = [
  ['an endless loop', body('for (;;) {}'), 'time', brief],
  ['an endless loop on loading', 'for (;;) {}', 'time', brief],
  ['an endless loop that catches', body('for (;;) try { for (;;) {} } catch {} finally { continue }'), 'time', brief],
  ['an endless generator', body('function* all() { for (;;) yield 1 } for (const one of all()) one'), 'time', brief],
  ['endless microtasks', body('const step = () => Promise.resolve().then(step); await step()'), 'time', brief],
  ['endless awaiting', body('for (;;) await null'), 'time', brief],
  ['endless timers', body('const step = () => setTimeout(step, 0); step(); await new Promise(() => {})'), 'time', brief],
  [
    'an async interruption that is caught',
    body('const f = async () => { for (;;) {} }; for (;;) { try { await f() } catch {} }'),
    'time',
    brief,
  ],
  ['ReDoS', body('return /^(a+)+$/.test("a".repeat(40) + "b")'), 'time', brief],
  ['an empty quantifier', body('return /(?:){999999999999}/.test("x")'), ['time', 'threw'], brief],
  ['a toJSON that loops', body('return { toJSON() { for (;;) {} } }'), 'time', brief],
  ['a getter that loops', body('return { get a() { for (;;) {} } }'), 'time', brief],
  ['an error that loops when printed', body('throw { toString() { for (;;) {} } }'), 'time', brief],
  ['a proxy that loops when printed', body('console.log(new Proxy({}, { ownKeys() { for (;;) {} } }))'), 'time', brief],
  ['recursion in try and catch', body('function f() { try { return f() } catch { return f() } } f()'), ['time', 'stack'], brief],
  ['indexOf on a sparse length', body('return Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)'), 'time', killed],
  ['lastIndexOf on a sparse length', body('return Array.prototype.lastIndexOf.call({ length: 2 ** 53 - 1 }, 1)'), 'time', killed],
  ['reverse on a sparse length', body('return Array.prototype.reverse.call({ length: 2 ** 53 - 1 })'), 'time', killed],
  ['includes on a sparse length', body('return Array.prototype.includes.call({ length: 2 ** 53 - 1 }, 1)'), 'time', killed],
  ['join of a huge array', body('return new Array(2 ** 31).join("")'), ['time', 'memory', 'threw'], killed],
  ['a huge power', body('return String(7n ** (2n ** 24n)).length'), ['time', 'memory', 'threw'], killed],
  ['300 MB in arrays of numbers', body('const all = []; for (;;) all.push(new Uint8Array(1 << 20))'), 'memory'],
  ['300 MB at once', body('return new ArrayBuffer(300 * 2 ** 20).byteLength'), ['memory', 'threw']],
  ['300 MB in objects', body('const all = []; for (;;) all.push({ a: [1, 2, 3] })'), 'memory'],
  ['a long string', body('let s = "x"; for (;;) s += s'), ['memory', 'threw']],
  ['a long string at once', body('return "x".repeat(2 ** 29).length'), ['memory', 'threw']],
  [
    'a full memory that is caught',
    body('const all = []; for (;;) try { all.push(new Array(1000).fill(1)) } catch {}'),
    ['time', 'memory', 'engine'],
    { ...wide, milliseconds: 500, wallMilliseconds: 3_000 },
  ],
  ['deep recursion', body('const f = () => f() + 1; f()'), 'stack'],
  ['deep JSON', body('return JSON.parse("[".repeat(1e6))'), ['stack', 'threw']],
  ['a parser bomb', body('return eval("(".repeat(1e5))'), ['stack', 'threw']],
  ['a parser bomb on loading', `export default ${'('.repeat(100_000)}1${')'.repeat(100_000)}`, ['stack', 'threw', 'memory']],
  ['nested blocks on loading', `${'{'.repeat(50_000)}${'}'.repeat(50_000)}`, ['stack', 'threw', 'memory']],
  ['a deep regular expression', body('return new RegExp("(".repeat(1e5) + ")".repeat(1e5)).test("")'), ['stack', 'threw']],
  ['a deep array as text', body('let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return String(a)'), ['stack', 'threw']],
  ['a deep result', body('let a = []; for (let i = 0; i < 500; i++) a = [a]; return a'), 'output'],
  ['a million lines', body('for (let i = 0; i < 1e6; i++) console.log("noise " + i)'), 'output'],
  ['one long line', body('console.log("x".repeat(1e7))'), 'output'],
  ['many long lines caught', body('for (;;) try { console.log("x".repeat(1e6)) } catch {}'), 'output'],
  ['a long result', body('return "x".repeat(1e7)'), 'output'],
  ['a long error', body('throw new Error("x".repeat(1e7))'), 'threw'],
  ['too many calls', body('for (let i = 0; i < 1e5; i++) await tools.twice({ n: i })'), 'calls'],
  ['too many calls at once', body('await Promise.all(Array.from({ length: 1e5 }, (_, n) => tools.twice({ n })))'), 'calls'],
  ['too many calls that fail', body('for (;;) try { await call("rm") } catch {}'), 'calls'],
  ['a call with too much', body('await tools.twice({ n: "x".repeat(1e6) })'), 'output'],
  ['a folder that is too full', body('for (let i = 0; ; i++) files.write("f" + i, "x".repeat(1e5))'), 'threw'],
];

const failing = 'threw' as const;
export const python: readonly Attack[] = [
  ['TCP', 'import socket\nsocket.create_connection(("127.0.0.1", PORT))', failing],
  ['UDP', 'import socket\nsocket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", PORT))\nresult = 1', { value: 1 }],
  ['an address outside', 'import socket\nsocket.create_connection(("192.0.2.1", 80), 5)', failing],
  [
    'a listening socket is in a network of its own',
    'import socket\ns = socket.socket()\ns.bind(("127.0.0.1", PORT))\ns.listen()\nresult = 1',
    { value: 1 },
  ],
  [
    'an end message that the code writes to every channel itself',
    'import os, json\nfor fd in range(1, 10):\n  try:\n    os.write(fd, (json.dumps({"type": "end", "kind": "done", "text": "\\"forged\\"", "printed": "", "files": {}, "used": {"milliseconds": 1, "cpuMilliseconds": 1, "bytes": 1}}) + "\\n").encode())\n  except OSError:\n    pass\nresult = 1',
    'engine',
  ],
  ['an abstract socket of the host', 'import socket\nsocket.socket(socket.AF_UNIX).connect("\\0ludus")', failing],
  ['a shell', 'import os\nresult = os.system("touch TARGET") != 0', { value: true }],
  ['a child process', 'import subprocess\nsubprocess.run(["/usr/bin/touch", "TARGET"])', failing],
  ['a fork', 'import os\nos.fork()', failing],
  ['threads', 'import threading\nfor _ in range(100): threading.Thread(target=lambda: None).start()', failing],
  ['replacing the process', 'import os\nos.execv("/usr/bin/touch", ["touch", "TARGET"])', 'engine'],
  ['killing the parent', 'import os\nos.kill(os.getppid(), 9)', failing],
  ['killing everything', 'import os\nos.kill(-1, 9)\nresult = 1', [failing, 'engine', 'memory', 'time']],
  ['reading passwords', 'open("/etc/passwd").read()', failing],
  ['listing processes', 'import os\nos.listdir("/proc")', failing],
  ['writing outside', 'open("TARGET", "w").write("x")', failing],
  ['writing to the system', 'open("/usr/bin/python3", "a")', failing],
  ['SQLite writing a file', 'import sqlite3\nsqlite3.connect("TARGET").execute("create table t(x)")', failing],
  ['a device', 'import os\nos.mknod("x", 0o60600, os.makedev(8, 0))', failing],
  ['becoming root', 'import os\nos.setuid(0)', failing],
  ['a mount', 'import ctypes\nresult = ctypes.CDLL(None).mount(b"none", b"/box", b"tmpfs", 0, None)', { value: -1 }],
  [
    'a namespace of its own',
    'import ctypes, os\nctypes.CDLL(None).unshare(0x10000000)\nresult = os.path.exists("/etc/passwd")',
    { value: false },
  ],
  ['tracing', 'import ctypes\nresult = ctypes.CDLL(None).ptrace(16, 1, 0, 0)', { value: -1 }],
  [
    'the environment',
    'import os\nresult = sorted(name for name in os.environ if name not in ("TZ", "PWD", "PYTHONHASHSEED", "LC_CTYPE"))',
    { value: [] },
  ],
  [
    'open files of the parent',
    'import os\ndef is_open(fd):\n  try: return os.fstat(fd) is not None\n  except OSError: return False\nresult = [fd for fd in range(6, 64) if is_open(fd)]',
    { value: [] },
  ],
  ['300 MB in segments of shared memory', 'import ctypes\nresult = ctypes.CDLL(None).shmget(0, 300 << 20, 0o1600)', { value: -1 }],
  ['queues of messages', 'import ctypes\nresult = ctypes.CDLL(None).msgget(0, 0o1600)', { value: -1 }],
  [
    'a ring of calls past the filter',
    'import ctypes\nresult = ctypes.CDLL(None).syscall(425, 8, ctypes.create_string_buffer(200))',
    { value: -1 },
  ],
  ['an endless loop', 'while True: pass', 'time', { ...wide, milliseconds: 1_000 }],
  [
    'an endless loop that heeds no signal',
    'import signal\nfor s in range(1, 65):\n  try: signal.signal(s, signal.SIG_IGN)\n  except (OSError, ValueError): pass\nwhile True: pass',
    'time',
    killed,
  ],
  ['sleeping', 'import time\nwhile True:\n  try: time.sleep(1000)\n  except BaseException: pass', 'time', killed],
  ['ReDoS', 'import re\nre.match("(a+)+$", "a" * 60 + "b")', 'time', killed],
  ['a huge power', 'result = len(str(7 ** (7 ** 20)))', ['time', 'memory', 'threw'], killed],
  ['300 MB', 'a = []\nwhile True: a.append(bytearray(1 << 20))', 'memory'],
  ['300 MB at once', 'bytearray(300 << 20)', 'memory'],
  ['300 MB of shared memory', 'import mmap\nmmap.mmap(-1, 300 << 20)', failing],
  ['300 MB in a file of memory', 'import os\nos.ftruncate(os.memfd_create("x"), 300 << 20)', failing],
  ['300 MB in the folder', 'for i in range(10 ** 6): open(f"f{i}", "w").write("x" * 100000)', failing],
  ['deep recursion', 'def f(): return f()\nf()', 'stack'],
  ['deep recursion without a limit', 'import sys\nsys.setrecursionlimit(10 ** 9)\ndef f(): return f()\nf()', ['stack', 'memory', 'threw']],
  ['a parser bomb', `result = eval("(" * 100000)`, ['threw', 'memory', 'stack']],
  ['a million lines', 'for i in range(10 ** 6): print("noise", i)', 'output'],
  [
    'a flood past print',
    'import os\nfor fd in range(64):\n  try:\n    while True: os.write(fd, b"x" * 65536)\n  except OSError: pass',
    ['output', 'engine', 'time'],
    { ...wide, wallMilliseconds: 2_000 },
  ],
  ['a long result', 'result = "x" * 10 ** 7', 'output'],
  ['a deep result', 'result = []\nfor _ in range(500): result = [result]', 'output'],
  ['__proto__ in a result', 'result = {"__proto__": {"polluted": 1}, "a": 1}', { value: { a: 1 } }],
  ['too many calls', 'for i in range(10 ** 5): tools.twice(n=i)', 'calls'],
  ['an unknown tool', 'call_tool("rm", {})', failing],
  ['wrong arguments', 'tools.twice(n="1")', failing],
  ['leaving without a word', 'import os\nos._exit(0)', 'engine'],
  ['an exit', 'import sys\nsys.exit(0)', failing],
];

/** What Python in WebAssembly could be tried with beyond the rest: its way to the host, its limits, and its own channels. */
export const pythonWasm: readonly Attack[] = [
  ['the module of the host', 'import js\nresult = str(js.process)', 'threw'],
  ['a host object that is caught', 'try:\n  import js\n  js.process\nexcept BaseException: pass\nresult = 1', 'threw'],
  ['a value for the host', 'import jsffi\nresult = jsffi.to_js([1])', 'threw'],
  ['a promise of the host', 'import jsffi\nresult = jsffi.create_proxy(print)', ['threw', 'engine']],
  [
    'an endless loop that catches everything',
    'while True:\n  try:\n    while True: pass\n  except BaseException: pass',
    'time',
    { ...wide, milliseconds: 300 },
  ],
  ['memory', 'all = []\nwhile True: all.append("x" * 100000)', 'memory'],
  ['one large list', 'all = [0] * 10 ** 9', 'memory'],
  ['deep recursion', 'def deep(n): return deep(n + 1)\ndeep(0)', 'stack'],
  ['a deep expression', 'import re\nre.match("(a*)*b", "a" * 40)', ['stack', 'time'], { ...wide, milliseconds: 1_000 }],
  ['much output', 'while True: print("noise")', 'output'],
  ['a folder that is too full', 'i = 0\nwhile True:\n  i += 1\n  open("f%d" % i, "w").write("x" * 100000)', 'threw'],
  ['too many calls', 'for i in range(100000): tools.twice(n=i)', 'calls'],
  ['files outside', 'open("../../etc/passwd").read()', 'threw'],
  ['an end of its own', 'f = open("/.ludus/end", "w")\nf.write("null")\nf.close()\nresult = 1', 'engine'],
  ['a call that is none', 'f = open("/.ludus/call", "r+")\nf.write("}{\\n")\nresult = 1', 'engine'],
  ['memory of the machine', 'import uctypes\nresult = uctypes.bytearray_at(0, 2 ** 31 - 1)[2 ** 31 - 2]', ['threw', 'engine', 'memory']],
];
