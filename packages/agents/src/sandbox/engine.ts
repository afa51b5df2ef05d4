/**
 * @file The engine's process: reads one job from its input, runs it in QuickJS, reports the result, and exits.
 *
 * One module, one run, one process: after a full heap or stack the module is never used again, not even to clean up.
 */

import { writeSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import quickjs from '@jitl/quickjs-ng-wasmfile-release-sync';
import type { QuickJSContext, QuickJSHandle, QuickJSRuntime, QuickJSSyncVariant } from 'quickjs-emscripten-core';
import { newQuickJSWASMModuleFromVariant, newVariant } from 'quickjs-emscripten-core';
import type { SandboxEnd, SandboxJob } from './job.ts';
import { prelude } from './prelude.ts';
import { builtIn, driverName } from './test-module.ts';
import { toVirtualPath } from './virtual-path.ts';

type Message =
  | ({ readonly type: 'job' } & SandboxJob)
  | { readonly type: 'answer'; readonly id: number; readonly ok: boolean; readonly text: string };

/** The part of WebAssembly used here, which Node's types lack. */
declare const WebAssembly: { readonly Memory: new (size: { initial: number; maximum: number }) => WasmMemory };
type WasmMemory = { readonly buffer: ArrayBuffer; grow(pages: number): number };

/** QuickJS's own stack; it must overflow before the stack of the process. */
const stackBytes = process.platform === 'win32' ? 128 * 1024 : 512 * 1024;
const longestTypeScript = 400_000;
// Most code is short: compiling the engine a second time, optimized, would cost more than it saves.
setFlagsFromString('--wasm-tiering-budget=200000000');

class Engine {
  readonly #job: SandboxJob;
  readonly #files: Map<string, string>;
  readonly #written = new Set<string>();
  readonly #memory: WasmMemory;
  #began = 0;
  #cpu = process.cpuUsage();
  #context!: QuickJSContext;
  #runtime!: QuickJSRuntime;
  #inside!: Readonly<Record<'run' | 'fail' | 'advance' | 'answer', QuickJSHandle>>;
  #printed = '';
  #calls = 0;
  #unanswered = 0;

  constructor(job: SandboxJob) {
    this.#job = job;
    this.#files = new Map(Object.entries(job.files));
    // This maximum is the memory limit: nothing in the module can grow past it.
    this.#memory = new WebAssembly.Memory({ initial: 256, maximum: job.limits.megabytes * 16 });
  }

  async start(): Promise<void> {
    const module = await newQuickJSWASMModuleFromVariant(
      newVariant(quickjs as unknown as QuickJSSyncVariant, { wasmMemory: this.#memory }),
    );
    this.#runtime = module.newRuntime();
    this.#runtime.setMaxStackSize(stackBytes);
    this.#runtime.setInterruptHandler(() => this.#isOver());
    this.#runtime.setModuleLoader(
      (name) => this.#load(name),
      (base, name) => this.#resolve(base, name),
    );
    this.#context = this.#runtime.newContext();
    write({ type: 'started' });
    this.#began = performance.now();
    this.#cpu = process.cpuUsage();
    this.#guarded(() => {
      this.#inside = this.#prepare();
      const { entry, tests, input } = this.#job;
      const name = JSON.stringify(tests === null ? `/${entry}` : driverName);
      const loaded = this.#context.evalCode(`import * as entry from ${name}; export default entry;`, 'ludus:run', { type: 'module' });
      if (loaded.error) this.#call('fail', loaded.error);
      else this.#call('run', loaded.value, this.#context.newString(JSON.stringify(tests ?? input)));
    });
    this.#drive();
  }

  answer(id: number, ok: boolean, text: string): void {
    this.#unanswered--;
    const context = this.#context;
    this.#guarded(() => void this.#call('answer', context.newNumber(id), ok ? context.true : context.false, context.newString(text)));
    this.#drive();
  }

  /** Runs pending jobs. Returns while tool calls are pending. */
  #drive(): void {
    for (;;) {
      this.#guarded(() => {
        const jobs = this.#runtime.executePendingJobs(1000);
        if (jobs.error) this.#call('fail', jobs.error);
      });
      this.#isOver();
      if (this.#runtime.hasPendingJob()) continue;
      if (this.#unanswered > 0) return;
      this.#guarded(() => {
        const moved = this.#call('advance');
        if (moved === null || this.#context.dump(moved) !== true) this.#finish('threw', 'The code never finished.');
      });
    }
  }

  /** Reports the result and exits at once, from any place, so that code that catches everything cannot continue. */
  #finish(kind: SandboxEnd['kind'], text: string): never {
    const full = this.#memory.buffer.byteLength >= this.#job.limits.megabytes * 2 ** 20;
    const files = Object.fromEntries([...this.#written].map((path) => [path, this.#files.get(path) as string]));
    const { user, system } = process.cpuUsage(this.#cpu);
    const used = {
      milliseconds: Math.round(performance.now() - this.#began),
      cpuMilliseconds: Math.round((user + system) / 1000),
      bytes: this.#memory.buffer.byteLength,
    };
    // If no memory is left for an error, the engine throws null.
    const how = kind === 'threw' && text === 'null' && full ? { kind: 'memory', text: '' } : { kind, text };
    write({ type: 'end', ...how, printed: this.#printed, files, used });
    process.exit(0);
  }

  /** Polled by the engine while code runs. */
  #isOver(): boolean {
    const { user, system } = process.cpuUsage(this.#cpu);
    const { milliseconds, wallMilliseconds } = this.#job.limits;
    if ((user + system) / 1000 > milliseconds || performance.now() - this.#began > wallMilliseconds) this.#finish('time', '');
    return false;
  }

  /** A failure of the engine itself ends the run: its stack or its memory is full, and it cannot be used again. */
  #guarded(work: () => void): void {
    try {
      work();
    } catch (thrown) {
      if (thrown instanceof RangeError) this.#finish('stack', '');
      this.#finish(/memory|alloc/i.test(String(thrown)) ? 'memory' : 'engine', String(thrown).slice(0, 200));
    }
  }

  #call(name: 'run' | 'fail' | 'advance' | 'answer', ...quickJSHandles: QuickJSHandle[]): QuickJSHandle | null {
    const result = this.#context.callFunction(this.#inside[name], this.#context.undefined, ...quickJSHandles);
    if (!result.error) return result.value;
    if (name === 'fail') this.#finish('threw', '');
    return this.#call('fail', result.error);
  }

  #prepare() {
    const context = this.#context;
    const { seed, clock, tools, limits } = this.#job;
    const host = context.newObject();
    // Texts are passed as JSON, because the engine's own strings end at a zero byte and cannot contain lone surrogates.
    const offer = (name: string, work: (...texts: string[]) => string | undefined) => {
      const quickJSHandle = context.newFunction(name, (...handles) => {
        const out = work(...handles.map((handle) => String(JSON.parse(context.getString(handle)))));
        return out === undefined ? context.undefined : context.newString(JSON.stringify(out));
      });
      context.setProp(host, name, quickJSHandle);
    };
    offer('print', (text) => void this.#print(text as string));
    offer('call', (id, name, text) => void this.#ask(Number(id), name as string, text as string));
    offer('done', (kind, text) => this.#finish(kind as SandboxEnd['kind'], text as string));
    offer('readFile', (path) => this.#files.get(toVirtualPath(path as string) ?? ''));
    offer('writeFile', (path, text) => this.#write(path as string, text as string));
    offer('listFiles', () => JSON.stringify([...this.#files.keys()].sort()));
    const inputQuickJSHandle = context.newString(JSON.stringify({ seed, clock, tools, characters: limits.characters }));
    const inside = context.unwrapResult(
      context.callFunction(context.unwrapResult(context.evalCode(prelude, 'ludus:prelude')), context.undefined, host, inputQuickJSHandle),
    );
    const part = (name: string) => context.getProp(inside, name);
    return { run: part('run'), fail: part('fail'), advance: part('advance'), answer: part('answer') };
  }

  #print(text: string): void {
    this.#printed += text;
    if (this.#printed.length <= this.#job.limits.characters) return;
    this.#printed = this.#printed.slice(0, this.#job.limits.characters);
    this.#finish('output', '');
  }

  #ask(id: number, name: string, text: string): void {
    const { calls, characters } = this.#job.limits;
    if (++this.#calls > calls) this.#finish('calls', '');
    if (text.length > characters) this.#finish('output', `The arguments of a call are longer than ${characters} characters.`);
    this.#unanswered++;
    write({ type: 'call', id, name: name.slice(0, 200), text });
  }

  #write(input: string, text: string): string | undefined {
    const path = toVirtualPath(input);
    if (path === null) return `A path is like "lib/add.js" and stays in the folder; got ${JSON.stringify(input).slice(0, 80)}.`;
    let size = path.length + text.length;
    for (const [name, content] of this.#files) if (name !== path) size += name.length + content.length;
    if (size > this.#job.limits.fileCharacters)
      return `The folder is full: its files may have ${this.#job.limits.fileCharacters} characters together.`;
    this.#files.set(path, text);
    this.#written.add(path);
    return undefined;
  }

  #resolve(base: string, name: string): string {
    if (Object.hasOwn(builtIn, name)) return name;
    const path = /^\.{0,2}\//.test(name) ? toVirtualPath(name, base.replace(/^\//, '')) : null;
    const endings = ['', '.js', '.mjs', '.ts', '.json', '/index.js', '/index.ts'];
    const match = path === null ? undefined : endings.map((ending) => path + ending).find((item) => this.#files.has(item));
    return match === undefined ? name : `/${match}`;
  }

  #load(name: string) {
    const text = Object.hasOwn(builtIn, name) ? builtIn[name] : name.startsWith('/') ? this.#files.get(name.slice(1)) : undefined;
    if (text === undefined)
      return {
        error: new Error(
          `Module "${name.slice(0, 100)}" not found. Available: ${[...this.#files.keys()].slice(0, 10).join(', ')} and test.`,
        ),
      };
    if (name.endsWith('.json')) return `export default ${text};`;
    if (!/\.[cm]?ts$/.test(name)) return text;
    if (text.length > longestTypeScript)
      return { error: new Error(`${name} is longer than ${longestTypeScript} characters, the limit for TypeScript.`) };
    try {
      return stripTypeScriptTypes(text);
    } catch (thrown) {
      return { error: new SyntaxError(`${name}: ${(thrown as Error).message}`) };
    }
  }
}

/** Writes synchronously, because the process exits afterward. Waits for a slow parent. */
function write(message: object): void {
  const bytes = Buffer.from(`${JSON.stringify(message)}\n`);
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(1, bytes, at);
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== 'EAGAIN') process.exit(1);
    }
  }
}

let engine: Engine | undefined;
let waiting = '';
process.stdin.setEncoding('utf8').on('data', (piece: string) => {
  waiting += piece;
  for (let at = waiting.indexOf('\n'); at >= 0; at = waiting.indexOf('\n')) {
    const message = JSON.parse(waiting.slice(0, at)) as Message;
    waiting = waiting.slice(at + 1);
    if (message.type === 'answer') engine?.answer(message.id, message.ok, message.text);
    else {
      engine = new Engine(message);
      void engine.start();
    }
  }
});
// If the parent has exited, the result is not needed.
process.stdin.on('end', () => process.exit(0));
