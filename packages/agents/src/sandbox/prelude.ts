/**
 * @file JavaScript that runs inside the engine before any other code: console, clock, random numbers, timers, tools, and files. It is text,
 * because the engine has its own realm.
 */

/** A function of the engine's realm. It saves the built-ins it needs before the code can change them; it is still not trusted. */
export const prelude = `(function (host, given) {
  'use strict';
  const { stringify, parse } = JSON;
  const { seed, clock, characters, tools: names } = parse(given);
  // Texts cross as JSON, which keeps every character.
  const crossing = (f) => (a, b, c) => {
    const out = f(stringify(a ?? ''), stringify(b ?? ''), stringify(c ?? ''));
    return out === undefined ? undefined : parse(out);
  };
  const print = crossing(host.print), call = crossing(host.call), done = crossing(host.done);
  const readFile = crossing(host.readFile), writeFile = crossing(host.writeFile), listFiles = crossing(host.listFiles);
  const bind = (f) => Function.prototype.call.bind(f);
  const cut = bind(String.prototype.slice), join = bind(Array.prototype.join), text = String, RealDate = Date, RealPromise = Promise;
  const { construct, defineProperty } = Reflect;
  const hidden = (name, value) => defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });

  let dice = seed >>> 0;
  Math.random = function random() {
    dice = (dice + 0x6d2b79f5) | 0;
    let t = Math.imul(dice ^ (dice >>> 15), 1 | dice);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };

  let now = clock;
  function VirtualDate(...parts) {
    const date = construct(RealDate, parts.length === 0 ? [now++] : parts, new.target ?? RealDate);
    return new.target === undefined ? text(construct(RealDate, [now++])) : date;
  }
  VirtualDate.prototype = RealDate.prototype;
  RealDate.prototype.constructor = VirtualDate;
  defineProperty(VirtualDate, 'name', { value: 'Date' });
  for (const [name, value] of Object.entries({ now: () => now++, parse: RealDate.parse, UTC: RealDate.UTC })) defineProperty(VirtualDate, name, { value, writable: true, configurable: true });
  hidden('Date', VirtualDate);
  delete globalThis.performance;

  const format = (part) => {
    if (typeof part === 'string') return part;
    if (part instanceof Error) return text(part);
    try { return stringify(part) ?? text(part); } catch { return text(part); }
  };
  const say = (...parts) => {
    let line = '';
    for (let i = 0; i < parts.length; i++) line += (i === 0 ? '' : ' ') + cut(format(parts[i]), 0, characters + 1);
    print(cut(line, 0, characters + 1) + '\\n');
  };
  hidden('console', { log: say, info: say, warn: say, error: say, debug: say });

  let timers = [], timerCount = 0;
  hidden('setTimeout', (f, after = 0, ...rest) => {
    timers.push({ id: ++timerCount, at: now + Math.max(0, +after || 0), f, rest });
    return timerCount;
  });
  hidden('clearTimeout', (id) => { timers = timers.filter((timer) => timer.id !== id); });
  /** Runs the timer that is due next; the clock jumps to it. */
  const advance = () => {
    let next;
    for (const timer of timers) if (next === undefined || timer.at < next.at) next = timer;
    if (next === undefined) return false;
    timers = timers.filter((one) => one !== next);
    now = Math.max(now, next.at);
    next.f(...next.rest);
    return true;
  };

  const waiting = new Map();
  let calls = 0;
  const invoke = (name, given) => new RealPromise((resolve, reject) => {
    const id = ++calls;
    waiting.set(id, { resolve, reject });
    call(id, text(name), stringify(given === undefined ? {} : given) ?? 'null');
  });
  const answer = (id, ok, value) => {
    const { resolve, reject } = waiting.get(id);
    waiting.delete(id);
    if (ok) resolve(parse(value));
    else { const why = parse(value); reject(new Error(typeof why === 'string' ? why : stringify(why))); }
  };
  hidden('call', invoke);
  const table = Object.create(null);
  for (const name of names) table[name] = (given) => invoke(name, given);
  hidden('tools', Object.freeze(table));
  hidden('files', Object.freeze({
    read: (path) => { const content = readFile(text(path)); if (content === undefined) throw new Error('File ' + path + ' not found.'); return content; },
    write: (path, content) => { const wrong = writeFile(text(path), text(content)); if (wrong !== undefined) throw new Error(wrong); },
    list: () => parse(listFiles()),
  }));

  const fail = (thrown) => {
    let kind = 'threw', words = 'The code failed.';
    try {
      words = cut(text(thrown), 0, 500);
      if (words === 'InternalError: out of memory') kind = 'memory';
      if (words === 'RangeError: Maximum call stack size exceeded') kind = 'stack';
    } catch {}
    done(kind, words);
  };
  const run = async (exported, input) => {
    try {
      const entry = (await exported).default;
      let value = entry.default;
      if (typeof value === 'function') value = await value(parse(input));
      const out = stringify(value === undefined ? null : value) ?? 'null';
      if (out.length > characters) done('output', 'The result is longer than ' + characters + ' characters.');
      else done('done', out);
    } catch (thrown) { fail(thrown); }
  };
  return { run, fail, advance, answer };
})`;
